"""`dataclass` for value types, made so that defining one costs almost nothing.

The standard decorator compiles six small functions for every frozen class, half a millisecond each
time; a check needs some hundred and fifty classes and would spend more on them than on its work.
Here all classes share their comparison, hash, text and protection against writing, and the
constructor is compiled when the first instance is made. Type checkers see the standard decorator,
and `dataclasses.fields`, `replace` and `asdict` work as usual.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    import dataclasses
    from functools import cache
    from operator import attrgetter
    from reprlib import recursive_repr

    _MISSING = dataclasses.MISSING

    def dataclass(cls=None, /, *, frozen=True, slots=True):
        """For `@dataclass(frozen=True, slots=True)`, the only kind of value type here."""
        if not frozen or not slots:
            raise TypeError("value types are frozen and slotted; use dataclasses for others")
        return _process if cls is None else _process(cls)

    def _process(cls):
        own = {name for name in _SHARED if name in cls.__dict__}
        made = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
        for name, function in _SHARED.items():
            if name not in own:
                setattr(made, name, function)
        return made

    def _construct(self, *args, **kwargs):
        """The constructor until there is a compiled one."""
        cls = next(c for c in type(self).__mro__ if "__init__" in c.__dict__)
        if cls.__init__ is _construct:
            cls.__init__ = _compile(cls)
        cls.__init__(self, *args, **kwargs)

    def _compile(cls):
        names = {"_set": object.__setattr__, "_missing": _MISSING}
        positional, keywords, body = [], [], []
        for field in dataclasses.fields(cls):
            if not field.init:
                body += [f"_set(self, {field.name!r}, {_default(field, names)})"] * _has(field)
                continue
            value = field.name
            declared = field.name
            if field.default_factory is not _MISSING:
                value = f"{_default(field, names)} if {field.name} is _missing else {field.name}"
                declared += " = _missing"
            elif field.default is not _MISSING:
                declared += f" = {_default(field, names)}"
            (keywords if field.kw_only else positional).append(declared)
            body.append(f"_set(self, {field.name!r}, {value})")
        if hasattr(cls, "__post_init__"):
            body.append("self.__post_init__()")
        parameters = ["self", *positional, *(["*", *keywords] if keywords else [])]
        lines = "\n    ".join(body or ["pass"])
        exec(f"def __init__({', '.join(parameters)}):\n    {lines}\n", names)  # noqa: S102
        made = names["__init__"]
        made.__qualname__ = f"{cls.__qualname__}.__init__"
        return made

    def _has(field):
        return field.default is not _MISSING or field.default_factory is not _MISSING

    def _default(field, names):
        """The expression for a field's default; the value itself goes into `names`."""
        key = f"_default_{field.name}"
        if field.default_factory is not _MISSING:
            names[key] = field.default_factory
            return f"{key}()"
        names[key] = field.default
        return key

    @cache
    def _compared(cls):
        """What instances of a class are compared by, as a function of an instance."""
        names = [f.name for f in dataclasses.fields(cls) if f.compare]
        if len(names) > 1:
            return attrgetter(*names)
        return lambda value: tuple(getattr(value, name) for name in names)

    def _equal(self, other):
        if other.__class__ is not self.__class__:
            return NotImplemented
        key = _compared(self.__class__)
        return key(self) == key(other)

    def _hash(self):
        return hash(_compared(self.__class__)(self))

    @recursive_repr()
    def _repr(self):
        shown = (f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
        return f"{self.__class__.__qualname__}({', '.join(shown)})"

    def _refuse_set(self, name, value):
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def _refuse_delete(self, name):
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

    def _get_state(self):
        return [getattr(self, f.name) for f in dataclasses.fields(self)]

    def _set_state(self, state):
        for field, value in zip(dataclasses.fields(self), state, strict=True):
            object.__setattr__(self, field.name, value)

    _SHARED = {
        "__init__": _construct,
        "__eq__": _equal,
        "__hash__": _hash,
        "__repr__": _repr,
        "__setattr__": _refuse_set,
        "__delattr__": _refuse_delete,
        "__getstate__": _get_state,
        "__setstate__": _set_state,
    }
