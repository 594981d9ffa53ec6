"""Makes CANN installations of both layouts, as small as the readers allow."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

ABI = '">=6.3, <=7.7"'
PLATFORM = """[version]
SoC_version={soc}
Short_SoC_version={short}
AIC_version=AIC-C-220
Arch_type={arch}
{extra}
[SoCInfo]
ai_core_cnt=20
memory_size=68719476736
"""


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def version_info(version: str, version_dir: str, *lines: str) -> str:
    return "\n".join([f"Version={version}", f"version_dir={version_dir}", *lines]) + "\n"


def platform(root: Path, soc: str, short: str, arch: str, extra: str = "") -> None:
    write(
        root / f"aarch64-linux/data/platform_config/{soc}.ini",
        PLATFORM.format(soc=soc, short=short, arch=arch, extra=extra),
    )


def toolkit(base: Path, release: str = "8.1.RC1", internal: str = "7.7.0.1.238") -> Path:
    """`ascend-toolkit/<release>` of the layout before 8.5; returns the version folder."""
    root = base / "ascend-toolkit" / release
    minor = ".".join(internal.split(".")[:2])
    for package in ("runtime", "compiler", "opp", "hccl", "toolkit", "opp_kernel"):
        others = [p for p in ("runtime", "compiler", "opp", "toolkit") if p != package]
        lines = [f'required_package_{p}_version="{minor}"' for p in others]
        if package in ("runtime", "compiler"):
            lines.insert(0, f"required_opp_abi_version={ABI}")
        if package == "runtime":
            lines.insert(0, "required_driver_ascendhal_version=4.0.0")
        write(root / package / "version.info", version_info(internal, release, *lines))
        write(root / package / "scene.info", "os=linux\nos_version=\narch=aarch64")
    platform(root, "Ascend910B3", "Ascend910B", "4")
    platform(root, "Ascend310P3", "Ascend310P", "1")
    write(
        root / "aarch64-linux/ascend_toolkit_install.info",
        f"version={release}\ninnerversion=V100R001C21SPC001B238\n"
        "compatible_version=[V100R001C15],[V100R001C18,V100R001C21]\n",
    )
    write(
        root / "opp/built-in/op_impl/ai_core/tbe/config/ascend910b/aic-ascend910b-ops-info.json",
        '{"Add": {"input0": {"dtype": "float16,float"}}, "Eye": {"output0": {"dtype": "int8"}}}',
    )
    write(
        root / "opp/built-in/op_impl/aicpu/aicpu_kernel/config/aicpu_kernel.json",
        '{"Add": {"input0": {"type": "DT_DOUBLE"}}, "Print": {}}',
    )
    return root


def latest(base: Path, root: Path, *, absolute: bool = False) -> Path:
    """`ascend-toolkit/latest` with its version.cfg and links to the packages of a version."""
    folder = base / "ascend-toolkit/latest"
    write(
        folder / "version.cfg",
        f"# version: 1.0\nruntime_running_version=[7.7.0.1.238:{root.name}]\n",
    )
    for package in root.iterdir():
        link = folder / package.name
        link.symlink_to(package if absolute else Path("..") / root.name / package.name)
    return folder


def component(base: Path, release: str = "9.0.1", packages: Mapping[str, str] = {}) -> Path:
    """`cann-<release>` of the layout from 8.5, with the link `cann` beside it."""
    root = base / f"cann-{release}"
    for package in ("runtime", "ge-executor", "metadef", "hcomm"):
        version = packages.get(package, release)
        lines = [] if package == "runtime" else [f'required_package_runtime_version="{release}"']
        write(root / "share/info" / package / "version.info", version_info(version, "cann", *lines))
        write(root / "share/info" / package / "scene.info", "os=linux\narch=x86_64\n")
    platform(root, "Ascend910B3", "Ascend910B", "4", "NpuArch=2201")
    (base / "cann").symlink_to(root.name)
    return root


def vendor(opp: Path, name: str, compiler_version: str, operator: str = "MyAdd") -> Path:
    """A custom operator package under `<opp>/vendors`."""
    root = opp / "vendors" / name
    write(root / "version.info", f"custom_opp_compiler_version={compiler_version}\n")
    write(
        root / "op_impl/ai_core/tbe/config/ascend910b/aic-ascend910b-ops-info.json",
        f'{{"{operator}": {{"input0": {{"dtype": "float16"}}}}}}',
    )
    return root


def driver(system: Path, version: str = "24.1.rc3", line: str = "C19") -> Path:
    """A driver with its pointer in /etc."""
    write(
        system / "etc/ascend_install.info",
        "UserName=HwHiAiUser\nDriver_Install_Path_Param=/usr/local/Ascend\n",
    )
    return write(
        system / "usr/local/Ascend/driver/version.info",
        f"Version={version}\nascendhal_version=7.35.23\nInnerversion=V100R001{line}SPC001B124\n"
        "compatible_version=[V100R001C13],[V100R001C15],[V100R001C17,V100R001C19]\n",
    )
