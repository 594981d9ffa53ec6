"""The kinds of plan step: what a remedy in a rule file may ask for.

Rules name a kind in each remedy, plans are made of steps of these kinds; both read this one list,
so a remedy that no plan could carry out fails when the rule is loaded.
"""

from __future__ import annotations

STEP_MEANINGS: dict[str, str] = {
    "replace_file": "get the model file again from where it came",
    "rebuild": "compile the source model again with atc",
    "change_target": "upgrade or pin the installed release, or run in another container or device",
    "install_package": "install kernels, an operator package or custom operators on the target",
    "set_environment": "set search paths or variables of the process that loads the model",
    "edit_source_model": "replace operators or state attributes in the source model",
    "embed_host_libraries": "put the host libraries of the operators into the model file",
    "convert_shapes": "go from dynamic to static shapes, or from static to dynamic",
    "verify": "check, compare with the old model, or compare tensors",
    "roll_out": "put the new model into use in stages, with a metric and a way back",
    "waive": "accept the finding, with a reason and a date on which it is looked at again",
}

STEP_KINDS: frozenset[str] = frozenset(STEP_MEANINGS)
