"""Changes of attributes: added, removed, renamed, reordered, type, default, required."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from preflight.registry.defaults import DefaultFault, parse_default
from preflight.registry.diff_ports import positional_renames
from preflight.registry.kinds import Change, make_change
from preflight.registry.prototype import AttributeSpec, Prototype


def attribute_changes(old: Prototype, new: Prototype) -> Iterator[Change]:
    """Everything that differs in the attributes of one operator."""
    if old.attrs == new.attrs:
        return
    op = old.op_type
    renames = positional_renames(old.attrs, new.attrs)
    after = {a.name: a for a in new.attrs}
    yield from _gone(op, old, new, renames)
    yield from _reordered(op, old, new, renames)
    for attribute in old.attrs:
        now = after.get(renames.get(attribute.name, attribute.name))
        if now is not None:
            yield from _kept(op, attribute, now)
    known = {a.name for a in old.attrs} | set(renames.values())
    for position, attribute in enumerate(new.attrs):
        if attribute.name in known:
            continue
        if attribute.required:
            text = f"{attribute.type}@{position}"
            yield make_change(op, "attr_added_required", attribute.name, None, text)
        else:
            text = f"{attribute.type}={attribute.default_value or ''}@{position}"
            yield make_change(op, "attr_added_default", attribute.name, None, text)


def same_default(type_name: str, old: str | None, new: str | None) -> bool:
    """Whether two default texts mean the same value."""
    if old == new:
        return True
    if old is None or new is None:
        return False
    try:
        return _typed(parse_default(type_name, old)) == _typed(parse_default(type_name, new))
    except DefaultFault:
        return False


def _typed(value: object) -> object:
    """Python takes 1, 1.0 and True for equal; the protocol's types do not mix them in a list."""
    if isinstance(value, list):
        return [_typed(item) for item in value]
    return (type(value).__name__, value)


def _gone(op: str, old: Prototype, new: Prototype, renames: Mapping[str, str]) -> Iterator[Change]:
    after = {a.name for a in new.attrs}
    for attribute in old.attrs:
        name = attribute.name
        if name in renames:
            yield make_change(op, "attr_renamed", name, name, renames[name])
        elif name not in after:
            heir = _heir(attribute, old, new, renames)
            note = f"perhaps renamed to {heir}: same type and default" if heir else ""
            was = "required" if attribute.required else f"={attribute.default_value or ''}"
            yield make_change(op, "attr_removed", name, f"{attribute.type} {was}", None, note)


def _heir(gone: AttributeSpec, old: Prototype, new: Prototype, renames: Mapping[str, str]) -> str:
    """The only new attribute of the same type and default, at another position; "" without."""
    known = {a.name for a in old.attrs} | set(renames.values())

    def alike(attribute: AttributeSpec) -> bool:
        return (attribute.type, attribute.required, attribute.default_value) == (
            gone.type,
            gone.required,
            gone.default_value,
        )

    heirs = [a.name for a in new.attrs if a.name not in known and alike(a)]
    rivals = [a for a in old.attrs if a.name not in {n.name for n in new.attrs} and alike(a)]
    return heirs[0] if len(heirs) == 1 and len(rivals) == 1 else ""


def _reordered(
    op: str, old: Prototype, new: Prototype, renames: Mapping[str, str]
) -> Iterator[Change]:
    after = [a.name for a in new.attrs]
    kept = [renames.get(a.name, a.name) for a in old.attrs]
    kept = [name for name in kept if name in set(after)]
    if [name for name in after if name in set(kept)] != kept:
        before = ",".join(a.name for a in old.attrs)
        yield make_change(op, "attr_reordered", "*", before, ",".join(after))


def _kept(op: str, was: AttributeSpec, now: AttributeSpec) -> Iterator[Change]:
    if was.type != now.type:
        yield make_change(op, "attr_type_changed", was.name, was.type, now.type)
    if was.required and not now.required:
        default = now.default_value
        yield make_change(op, "attr_required_to_optional", was.name, "required", default)
    elif now.required and not was.required:
        default = was.default_value
        yield make_change(op, "attr_optional_to_required", was.name, default, "required")
    elif was.type != now.type:
        if was.default_value != now.default_value:
            yield make_change(
                op, "attr_default_changed", was.name, was.default_value, now.default_value
            )
    elif not same_default(was.type, was.default_value, now.default_value):
        yield make_change(
            op, "attr_default_changed", was.name, was.default_value, now.default_value
        )
