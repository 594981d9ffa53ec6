"""The documented library surface; the command line and other programs reach the rest through it.

Names are imported when they are first used, so that a program that only inspects does not pay for
registries or plans. The two lists below say the same thing twice, once for type checkers and once
for the interpreter; a test compares them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from preflight.checks.check import check as check
    from preflight.checks.check import check_model as check_model
    from preflight.checks.check import expand as expand
    from preflight.checks.context import LOADERS as LOADERS
    from preflight.checks.context import Assumptions as Assumptions
    from preflight.checks.context import Context as Context
    from preflight.checks.engine import Result as Result
    from preflight.checks.engine import first_failure as first_failure
    from preflight.checks.engine import run_rules as run_rules
    from preflight.checks.loader import RuleSet as RuleSet
    from preflight.checks.loader import load_rules as load_rules
    from preflight.checks.pages import explain_rule as explain_rule
    from preflight.checks.pages import rules_json as rules_json
    from preflight.checks.report import ModelReport as ModelReport
    from preflight.checks.report import Report as Report
    from preflight.checks.rulefile import Rule as Rule
    from preflight.checks.steps import STEP_MEANINGS as STEP_MEANINGS
    from preflight.checks.waivers import load_waivers as load_waivers
    from preflight.checks.which import which as which
    from preflight.compare.fusion import compare_fusion as compare_fusion
    from preflight.compare.locks import compare_with_lock as compare_with_lock
    from preflight.compare.locks import lock_file as lock_file
    from preflight.compare.locks import verify_lock as verify_lock
    from preflight.compare.models import compare_files as compare_files
    from preflight.compare.models import compare_models as compare_models
    from preflight.compare.tensors.compare import TensorComparison as TensorComparison
    from preflight.compare.tensors.compare import TensorStatus as TensorStatus
    from preflight.compare.tensors.compare import compare_tensors as compare_tensors
    from preflight.compare.tensors.measure import Tolerance as Tolerance
    from preflight.compare.types import CompareVerdict as CompareVerdict
    from preflight.compare.types import ModelComparison as ModelComparison
    from preflight.container.inout import InOutInfo as InOutInfo
    from preflight.container.inout import decode_inout as decode_inout
    from preflight.container.read import read_container as read_container
    from preflight.container.types import Container as Container
    from preflight.container.types import ContainerKind as ContainerKind
    from preflight.explain.logs import explain_log as explain_log
    from preflight.explain.logs import explain_text as explain_text
    from preflight.explain.logs import target_in_log as target_in_log
    from preflight.explain.narrate import explain_code as explain_code
    from preflight.explain.types import CodeExplanation as CodeExplanation
    from preflight.explain.types import LogExplanation as LogExplanation
    from preflight.findings import Finding as Finding
    from preflight.model.definition import ModelDefinition as ModelDefinition
    from preflight.model.definition import decode_model_definition as decode_model_definition
    from preflight.model.dtypes import dtype_number as dtype_number
    from preflight.model.dtypes import format_number as format_number
    from preflight.model.file import read_model as read_model
    from preflight.model.fingerprint import fingerprint_model as fingerprint_model
    from preflight.model.lock import LockMismatch as LockMismatch
    from preflight.model.lock import compare_lock as compare_lock
    from preflight.model.lockfile import LOCK_SUFFIX as LOCK_SUFFIX
    from preflight.model.lockfile import lock_bytes as lock_bytes
    from preflight.model.lockfile import lock_path as lock_path
    from preflight.model.lockfile import read_lock as read_lock
    from preflight.model.lockfile import write_lock as write_lock
    from preflight.model.manifest import Attribute as Attribute
    from preflight.model.manifest import ModelFile as ModelFile
    from preflight.model.manifest import ModelManifest as ModelManifest
    from preflight.model.silent import silent_codes as silent_codes
    from preflight.model.writer import GraphSpec as GraphSpec
    from preflight.model.writer import OperatorSpec as OperatorSpec
    from preflight.model.writer import TensorSpec as TensorSpec
    from preflight.model.writer import build_flow_model as build_flow_model
    from preflight.model.writer import build_model_definition as build_model_definition
    from preflight.model.writer import build_submodel as build_submodel
    from preflight.model.writer import build_tasks as build_tasks
    from preflight.plan.apply import ApplyResult as ApplyResult
    from preflight.plan.apply import apply_plan as apply_plan
    from preflight.plan.apply import rollback_plan as rollback_plan
    from preflight.plan.edit import answer_question as answer_question
    from preflight.plan.edit import move_plan_step as move_plan_step
    from preflight.plan.edit import remove_plan_step as remove_plan_step
    from preflight.plan.edit import reword_plan_step as reword_plan_step
    from preflight.plan.edit import waive_in_plan as waive_in_plan
    from preflight.plan.execute import ApplyOptions as ApplyOptions
    from preflight.plan.files import plan_from_toml as plan_from_toml
    from preflight.plan.files import plan_to_toml as plan_to_toml
    from preflight.plan.files import read_plan as read_plan
    from preflight.plan.files import write_plan as write_plan
    from preflight.plan.fleet import Placement as Placement
    from preflight.plan.fleet import place as place
    from preflight.plan.journal import journal_path as journal_path
    from preflight.plan.journal import plan_states as plan_states
    from preflight.plan.journal import read_journal as read_journal
    from preflight.plan.judge import Candidate as Candidate
    from preflight.plan.judge import judge as judge
    from preflight.plan.model import Plan as Plan
    from preflight.plan.model import PlanWaiver as PlanWaiver
    from preflight.plan.model import Statement as Statement
    from preflight.plan.model import Step as Step
    from preflight.plan.moves import likely_targets as likely_targets
    from preflight.plan.paths import PlanOptions as PlanOptions
    from preflight.plan.recipe import build_recipe as build_recipe
    from preflight.plan.recipe_types import BuildGoal as BuildGoal
    from preflight.plan.recipe_types import MovedDefault as MovedDefault
    from preflight.plan.recipe_types import Recipe as Recipe
    from preflight.plan.simulate import Outcome as Outcome
    from preflight.plan.simulate import Simulation as Simulation
    from preflight.plan.solve import WaysOut as WaysOut
    from preflight.plan.solve import best_placed_target as best_placed_target
    from preflight.plan.solve import is_superfluous as is_superfluous
    from preflight.plan.solve import plan_without as plan_without
    from preflight.plan.solve import solve as solve
    from preflight.plan.workbench import Workbench as Workbench
    from preflight.registry.behaviour import notes_for as notes_for
    from preflight.registry.compact import build_history as build_history
    from preflight.registry.defaults import DefaultFault as DefaultFault
    from preflight.registry.defaults import parse_default as parse_default
    from preflight.registry.diff import breaking as breaking
    from preflight.registry.diff import diff_prototypes as diff_prototypes
    from preflight.registry.diff import diff_releases as diff_releases
    from preflight.registry.entries import Skipped as Skipped
    from preflight.registry.extract import Extraction as Extraction
    from preflight.registry.extract import ExtractionProblem as ExtractionProblem
    from preflight.registry.extract import extract_registry as extract_registry
    from preflight.registry.folders import FolderLayer as FolderLayer
    from preflight.registry.history import History as History
    from preflight.registry.history import open_history as open_history
    from preflight.registry.kinds import Change as Change
    from preflight.registry.operator import OperatorHistory as OperatorHistory
    from preflight.registry.operator import OperatorVersion as OperatorVersion
    from preflight.registry.operator import Release as Release
    from preflight.registry.protocol import load_chain as load_chain
    from preflight.registry.protocol import load_index as load_index
    from preflight.registry.protocol import load_metadata as load_metadata
    from preflight.registry.protocol import load_operator as load_operator
    from preflight.registry.protocol import load_release as load_release
    from preflight.registry.prototype import AttributeSpec as AttributeSpec
    from preflight.registry.prototype import Port as Port
    from preflight.registry.prototype import Prototype as Prototype
    from preflight.registry.prototype import to_protocol as to_protocol
    from preflight.registry.records import RegistryFault as RegistryFault
    from preflight.registry.records import parse_operator as parse_operator
    from preflight.registry.sides import diff_sides as diff_sides
    from preflight.registry.sides import folder_path as folder_path
    from preflight.registry.sides import folder_side as folder_side
    from preflight.registry.sides import names_folder as names_folder
    from preflight.registry.sides import recorded_side as recorded_side
    from preflight.registry.store import BundledLayer as BundledLayer
    from preflight.registry.store import release_sources as release_sources
    from preflight.registry.transfer import Moved as Moved
    from preflight.registry.transfer import export_bundled as export_bundled
    from preflight.registry.transfer import merge_folders as merge_folders
    from preflight.registry.validate import package_folders as package_folders
    from preflight.registry.validate import validate_package as validate_package
    from preflight.registry.window import DEFAULT_DAYS as DEFAULT_DAYS
    from preflight.registry.window import is_calendar_date as is_calendar_date
    from preflight.registry.window import is_protocol_date as is_protocol_date
    from preflight.registry.window import select_window as select_window
    from preflight.registry.writing import Written as Written
    from preflight.registry.writing import write_release as write_release
    from preflight.render.compare_html import render_tensors_html as render_tensors_html
    from preflight.render.compare_json import comparison_json as comparison_json
    from preflight.render.compare_json import fusion_json as fusion_json
    from preflight.render.compare_json import tensors_json as tensors_json
    from preflight.render.compare_text import render_comparison as render_comparison
    from preflight.render.escape import mask as mask
    from preflight.render.escape import printable as printable
    from preflight.render.explain_json import render_code_json as render_code_json
    from preflight.render.explain_json import render_log_json as render_log_json
    from preflight.render.explain_markdown import render_log_markdown as render_log_markdown
    from preflight.render.explain_text import render_code_text as render_code_text
    from preflight.render.explain_text import render_log_text as render_log_text
    from preflight.render.explain_text import render_rule_text as render_rule_text
    from preflight.render.formats import ReportFormat as ReportFormat
    from preflight.render.formats import render_report as render_report
    from preflight.render.history import render_changes_markdown as render_changes_markdown
    from preflight.render.history import render_changes_text as render_changes_text
    from preflight.render.history import render_history as render_history
    from preflight.render.history import render_prototype as render_prototype
    from preflight.render.history import render_releases as render_releases
    from preflight.render.history_json import changes_json as changes_json
    from preflight.render.history_json import history_json as history_json
    from preflight.render.history_json import releases_json as releases_json
    from preflight.render.history_json import version_json as version_json
    from preflight.render.inspect_json import render_inspect_json as render_inspect_json
    from preflight.render.inspect_text import render_inspect_text as render_inspect_text
    from preflight.render.layout import TextLayout as TextLayout
    from preflight.render.plan_json import plan_json as plan_json
    from preflight.render.plan_json import result_json as result_json
    from preflight.render.plan_json import ways_json as ways_json
    from preflight.render.plan_shell import plan_script as plan_script
    from preflight.render.plan_text import plan_text as plan_text
    from preflight.render.plan_text import result_text as result_text
    from preflight.render.plan_text import ways_text as ways_text
    from preflight.render.target import capture_json as capture_json
    from preflight.render.target import fit_json as fit_json
    from preflight.render.target import fit_text as fit_text
    from preflight.render.target import list_json as list_json
    from preflight.render.target import list_text as list_text
    from preflight.render.target import target_json as target_json
    from preflight.render.target import target_text as target_text
    from preflight.render.tensors_text import render_fusion as render_fusion
    from preflight.render.tensors_text import render_tensors as render_tensors
    from preflight.render.view import count_words as count_words
    from preflight.render.view import headline as headline
    from preflight.render.view import loader_line as loader_line
    from preflight.render.which import which_json as which_json
    from preflight.render.which import which_text as which_text
    from preflight.target.catalog import known_releases as known_releases
    from preflight.target.catalog import known_socs as known_socs
    from preflight.target.catalog import soc_families as soc_families
    from preflight.target.consistency import TargetProblem as TargetProblem
    from preflight.target.consistency import target_problems as target_problems
    from preflight.target.discover import discover as discover
    from preflight.target.fit import FitReport as FitReport
    from preflight.target.fit import fit_cann as fit_cann
    from preflight.target.fit import fit_driver as fit_driver
    from preflight.target.install import target_from_install as target_from_install
    from preflight.target.loader_view import LoaderView as LoaderView
    from preflight.target.manifests import behaviour_of_version as behaviour_of_version
    from preflight.target.manifests import loader_behaviour as loader_behaviour
    from preflight.target.manifests import soc_table as soc_table
    from preflight.target.packages import find_key as find_key
    from preflight.target.packages import parse_key_values as parse_key_values
    from preflight.target.packages import parse_package as parse_package
    from preflight.target.packages import parse_vendor_priority as parse_vendor_priority
    from preflight.target.packages import parse_version_cfg as parse_version_cfg
    from preflight.target.resolve import load_target as load_target
    from preflight.target.snapshot import read_snapshot as read_snapshot
    from preflight.target.snapshot import snapshot_text as snapshot_text
    from preflight.target.snapshot import write_snapshot as write_snapshot
    from preflight.target.types import Fact as Fact
    from preflight.target.types import ReleaseBehaviour as ReleaseBehaviour
    from preflight.target.types import Target as Target
    from preflight.versions import CannVersion as CannVersion
    from preflight.versions import VersionPair as VersionPair
    from preflight.versions import VersionRange as VersionRange
    from preflight.versions import is_vendor_version_valid as is_vendor_version_valid
    from preflight.versions import loader_number as loader_number
    from preflight.versions import parse_loader_ranges as parse_loader_ranges
    from preflight.writing import write_text as write_text

# public name -> module that defines it
_WHERE: dict[str, str] = {
    "ApplyOptions": "preflight.plan.execute",
    "ApplyResult": "preflight.plan.apply",
    "Assumptions": "preflight.checks.context",
    "Attribute": "preflight.model.manifest",
    "AttributeSpec": "preflight.registry.prototype",
    "BuildGoal": "preflight.plan.recipe_types",
    "BundledLayer": "preflight.registry.store",
    "Candidate": "preflight.plan.judge",
    "CannVersion": "preflight.versions",
    "Change": "preflight.registry.kinds",
    "CodeExplanation": "preflight.explain.types",
    "CompareVerdict": "preflight.compare.types",
    "Container": "preflight.container.types",
    "ContainerKind": "preflight.container.types",
    "Context": "preflight.checks.context",
    "DEFAULT_DAYS": "preflight.registry.window",
    "DefaultFault": "preflight.registry.defaults",
    "Extraction": "preflight.registry.extract",
    "ExtractionProblem": "preflight.registry.extract",
    "Fact": "preflight.target.types",
    "Finding": "preflight.findings",
    "FitReport": "preflight.target.fit",
    "FolderLayer": "preflight.registry.folders",
    "GraphSpec": "preflight.model.writer",
    "History": "preflight.registry.history",
    "InOutInfo": "preflight.container.inout",
    "LOADERS": "preflight.checks.context",
    "LOCK_SUFFIX": "preflight.model.lockfile",
    "LoaderView": "preflight.target.loader_view",
    "LockMismatch": "preflight.model.lock",
    "LogExplanation": "preflight.explain.types",
    "ModelComparison": "preflight.compare.types",
    "ModelDefinition": "preflight.model.definition",
    "ModelFile": "preflight.model.manifest",
    "ModelManifest": "preflight.model.manifest",
    "ModelReport": "preflight.checks.report",
    "Moved": "preflight.registry.transfer",
    "MovedDefault": "preflight.plan.recipe_types",
    "OperatorHistory": "preflight.registry.operator",
    "OperatorSpec": "preflight.model.writer",
    "OperatorVersion": "preflight.registry.operator",
    "Outcome": "preflight.plan.simulate",
    "Placement": "preflight.plan.fleet",
    "Plan": "preflight.plan.model",
    "PlanOptions": "preflight.plan.paths",
    "PlanWaiver": "preflight.plan.model",
    "Port": "preflight.registry.prototype",
    "Prototype": "preflight.registry.prototype",
    "Recipe": "preflight.plan.recipe_types",
    "RegistryFault": "preflight.registry.records",
    "Release": "preflight.registry.operator",
    "ReleaseBehaviour": "preflight.target.types",
    "Report": "preflight.checks.report",
    "ReportFormat": "preflight.render.formats",
    "Result": "preflight.checks.engine",
    "Rule": "preflight.checks.rulefile",
    "RuleSet": "preflight.checks.loader",
    "STEP_MEANINGS": "preflight.checks.steps",
    "Simulation": "preflight.plan.simulate",
    "Skipped": "preflight.registry.entries",
    "Statement": "preflight.plan.model",
    "Step": "preflight.plan.model",
    "Target": "preflight.target.types",
    "TargetProblem": "preflight.target.consistency",
    "TensorComparison": "preflight.compare.tensors.compare",
    "TensorSpec": "preflight.model.writer",
    "TensorStatus": "preflight.compare.tensors.compare",
    "TextLayout": "preflight.render.layout",
    "Tolerance": "preflight.compare.tensors.measure",
    "VersionPair": "preflight.versions",
    "VersionRange": "preflight.versions",
    "WaysOut": "preflight.plan.solve",
    "Workbench": "preflight.plan.workbench",
    "Written": "preflight.registry.writing",
    "answer_question": "preflight.plan.edit",
    "apply_plan": "preflight.plan.apply",
    "behaviour_of_version": "preflight.target.manifests",
    "best_placed_target": "preflight.plan.solve",
    "breaking": "preflight.registry.diff",
    "build_flow_model": "preflight.model.writer",
    "build_history": "preflight.registry.compact",
    "build_model_definition": "preflight.model.writer",
    "build_recipe": "preflight.plan.recipe",
    "build_submodel": "preflight.model.writer",
    "build_tasks": "preflight.model.writer",
    "capture_json": "preflight.render.target",
    "changes_json": "preflight.render.history_json",
    "check": "preflight.checks.check",
    "check_model": "preflight.checks.check",
    "compare_files": "preflight.compare.models",
    "compare_fusion": "preflight.compare.fusion",
    "compare_lock": "preflight.model.lock",
    "compare_models": "preflight.compare.models",
    "compare_tensors": "preflight.compare.tensors.compare",
    "compare_with_lock": "preflight.compare.locks",
    "comparison_json": "preflight.render.compare_json",
    "count_words": "preflight.render.view",
    "decode_inout": "preflight.container.inout",
    "decode_model_definition": "preflight.model.definition",
    "diff_prototypes": "preflight.registry.diff",
    "diff_releases": "preflight.registry.diff",
    "diff_sides": "preflight.registry.sides",
    "discover": "preflight.target.discover",
    "dtype_number": "preflight.model.dtypes",
    "expand": "preflight.checks.check",
    "explain_code": "preflight.explain.narrate",
    "explain_log": "preflight.explain.logs",
    "explain_rule": "preflight.checks.pages",
    "explain_text": "preflight.explain.logs",
    "export_bundled": "preflight.registry.transfer",
    "extract_registry": "preflight.registry.extract",
    "find_key": "preflight.target.packages",
    "fingerprint_model": "preflight.model.fingerprint",
    "first_failure": "preflight.checks.engine",
    "fit_cann": "preflight.target.fit",
    "fit_driver": "preflight.target.fit",
    "fit_json": "preflight.render.target",
    "fit_text": "preflight.render.target",
    "folder_path": "preflight.registry.sides",
    "folder_side": "preflight.registry.sides",
    "format_number": "preflight.model.dtypes",
    "fusion_json": "preflight.render.compare_json",
    "headline": "preflight.render.view",
    "history_json": "preflight.render.history_json",
    "is_calendar_date": "preflight.registry.window",
    "is_protocol_date": "preflight.registry.window",
    "is_superfluous": "preflight.plan.solve",
    "is_vendor_version_valid": "preflight.versions",
    "journal_path": "preflight.plan.journal",
    "judge": "preflight.plan.judge",
    "known_releases": "preflight.target.catalog",
    "known_socs": "preflight.target.catalog",
    "likely_targets": "preflight.plan.moves",
    "list_json": "preflight.render.target",
    "list_text": "preflight.render.target",
    "load_chain": "preflight.registry.protocol",
    "load_index": "preflight.registry.protocol",
    "load_metadata": "preflight.registry.protocol",
    "load_operator": "preflight.registry.protocol",
    "load_release": "preflight.registry.protocol",
    "load_rules": "preflight.checks.loader",
    "load_target": "preflight.target.resolve",
    "load_waivers": "preflight.checks.waivers",
    "loader_behaviour": "preflight.target.manifests",
    "loader_line": "preflight.render.view",
    "loader_number": "preflight.versions",
    "lock_bytes": "preflight.model.lockfile",
    "lock_file": "preflight.compare.locks",
    "lock_path": "preflight.model.lockfile",
    "mask": "preflight.render.escape",
    "merge_folders": "preflight.registry.transfer",
    "move_plan_step": "preflight.plan.edit",
    "names_folder": "preflight.registry.sides",
    "notes_for": "preflight.registry.behaviour",
    "open_history": "preflight.registry.history",
    "package_folders": "preflight.registry.validate",
    "parse_default": "preflight.registry.defaults",
    "parse_key_values": "preflight.target.packages",
    "parse_loader_ranges": "preflight.versions",
    "parse_operator": "preflight.registry.records",
    "parse_package": "preflight.target.packages",
    "parse_vendor_priority": "preflight.target.packages",
    "parse_version_cfg": "preflight.target.packages",
    "place": "preflight.plan.fleet",
    "plan_from_toml": "preflight.plan.files",
    "plan_json": "preflight.render.plan_json",
    "plan_script": "preflight.render.plan_shell",
    "plan_states": "preflight.plan.journal",
    "plan_text": "preflight.render.plan_text",
    "plan_to_toml": "preflight.plan.files",
    "plan_without": "preflight.plan.solve",
    "printable": "preflight.render.escape",
    "read_container": "preflight.container.read",
    "read_journal": "preflight.plan.journal",
    "read_lock": "preflight.model.lockfile",
    "read_model": "preflight.model.file",
    "read_plan": "preflight.plan.files",
    "read_snapshot": "preflight.target.snapshot",
    "recorded_side": "preflight.registry.sides",
    "release_sources": "preflight.registry.store",
    "releases_json": "preflight.render.history_json",
    "remove_plan_step": "preflight.plan.edit",
    "render_changes_markdown": "preflight.render.history",
    "render_changes_text": "preflight.render.history",
    "render_code_json": "preflight.render.explain_json",
    "render_code_text": "preflight.render.explain_text",
    "render_comparison": "preflight.render.compare_text",
    "render_fusion": "preflight.render.tensors_text",
    "render_history": "preflight.render.history",
    "render_inspect_json": "preflight.render.inspect_json",
    "render_inspect_text": "preflight.render.inspect_text",
    "render_log_json": "preflight.render.explain_json",
    "render_log_markdown": "preflight.render.explain_markdown",
    "render_log_text": "preflight.render.explain_text",
    "render_prototype": "preflight.render.history",
    "render_releases": "preflight.render.history",
    "render_report": "preflight.render.formats",
    "render_rule_text": "preflight.render.explain_text",
    "render_tensors": "preflight.render.tensors_text",
    "render_tensors_html": "preflight.render.compare_html",
    "result_json": "preflight.render.plan_json",
    "result_text": "preflight.render.plan_text",
    "reword_plan_step": "preflight.plan.edit",
    "rollback_plan": "preflight.plan.apply",
    "rules_json": "preflight.checks.pages",
    "run_rules": "preflight.checks.engine",
    "select_window": "preflight.registry.window",
    "silent_codes": "preflight.model.silent",
    "snapshot_text": "preflight.target.snapshot",
    "soc_families": "preflight.target.catalog",
    "soc_table": "preflight.target.manifests",
    "solve": "preflight.plan.solve",
    "target_from_install": "preflight.target.install",
    "target_in_log": "preflight.explain.logs",
    "target_json": "preflight.render.target",
    "target_problems": "preflight.target.consistency",
    "target_text": "preflight.render.target",
    "tensors_json": "preflight.render.compare_json",
    "to_protocol": "preflight.registry.prototype",
    "validate_package": "preflight.registry.validate",
    "verify_lock": "preflight.compare.locks",
    "version_json": "preflight.render.history_json",
    "waive_in_plan": "preflight.plan.edit",
    "ways_json": "preflight.render.plan_json",
    "ways_text": "preflight.render.plan_text",
    "which": "preflight.checks.which",
    "which_json": "preflight.render.which",
    "which_text": "preflight.render.which",
    "write_lock": "preflight.model.lockfile",
    "write_plan": "preflight.plan.files",
    "write_release": "preflight.registry.writing",
    "write_snapshot": "preflight.target.snapshot",
    "write_text": "preflight.writing",
}


def __getattr__(name: str) -> Any:
    module = _WHERE.get(name)
    if module is None:
        raise AttributeError(f"module 'preflight.api' has no attribute {name!r}")
    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_WHERE)
