"""The CPU that an embedded library was built for, from the first bytes of its ELF header."""

from __future__ import annotations

ELF_HEAD = 20  # bytes that hold identification, type and machine

# e_machine values (ELF gABI) of hosts and devices; names as `uname -m` gives them
_MACHINES = {
    0x03: "i386",
    0x28: "arm",
    0x3E: "x86_64",
    0xB7: "aarch64",
    0xF3: "riscv64",
    0x102: "loongarch64",
}


def elf_machine(head: bytes) -> str:
    """The machine name, `em_<number>` for one without a name here, empty when it is no ELF."""
    if len(head) < ELF_HEAD or not head.startswith(b"\x7fELF"):
        return ""
    number = int.from_bytes(head[18:20], "big" if head[5] == 2 else "little")
    return _MACHINES.get(number, f"em_{number}")
