"""Masks what a support ticket must not carry: people, hosts, addresses, secrets."""

from __future__ import annotations

import re

from preflight.render.escape import mask

_HIDDEN = "***"
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b(https?|ftp|ssh|git)://[^/\s:@]{1,80}:[^/\s@]{1,200}@", re.I), r"\1://***@"),
    (re.compile(r"\b(authorization:\s*(?:bearer|basic|token)\s+)[^\s'\"]{4,400}", re.I), r"\1***"),
    (
        re.compile(
            r"((?:api[_-]?key|access[_-]?key|secret\w{0,12}|token|passw(?:or)?d|pwd|credential\w{0,2})"
            r"[\"']?\s{0,2}[=:]\s{0,2}[\"']?)[^\s'\",;&]{3,400}",
            re.I,
        ),
        r"\1***",
    ),
    (re.compile(r"\b(?:hf_|ghp_|gho_|ghs_|glpat-|sk-|xox[abp]-|AKIA|eyJ)[\w.-]{12,800}"), _HIDDEN),
    (re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}\b"), "user@host"),
    (re.compile(r"\b[a-z_][\w-]{0,31}@[\w.-]{1,64}(?=[:#$\s\]]|$)", re.I), "user@host"),
    (re.compile(r"\b(host ?name[\"']?\s?[=:]\s?[\"']?)[\w.-]{1,80}", re.I), r"\1host"),
    (
        re.compile(
            r"^([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d )"
            r"[\w.-]{1,80}(?= [\w./-]{1,60}(?:\[\d+\])?:)",
            re.M,
        ),
        r"\1host",
    ),
    (
        re.compile(
            r"\b((?:on|from|to) (?:host|server|machine) )(?!name\b)"
            r"[\w.-]{0,60}[\d.-][\w.-]{0,60}",
            re.I,
        ),
        r"\1host",
    ),
    (
        re.compile(
            r"\b[a-z0-9][\w-]{0,62}(?:\.[\w-]{1,63})"
            r"{0,3}\.(?:local|lan|internal|intra|corp)\b",
            re.I,
        ),
        "host",
    ),
    (re.compile(r"\b(user ?name[\"']?\s?[=:]\s?[\"']?)[\w.-]{1,80}", re.I), r"\1user"),
    (re.compile(r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b", re.I), "xx:xx:xx:xx:xx:xx"),
    (re.compile(r"(?<![\w.])(?!127\.0|0\.0)(?:\d{1,3}\.){3}\d{1,3}(?![\w.])"), "x.x.x.x"),
    (re.compile(r"(?<![\w:])(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}(?![\w:])", re.I), "x::x"),
    (re.compile(r"(?<=[\s=:,;'\"(])/(?:root|data\d?/home|mnt/home)/(?=[^/\s]{1,80})"), "/home/"),
)  # fmt: skip
_VERSION_BEFORE = re.compile(
    r"(?:version|driver|firmware|cann|internal|Model is|package is)[\w \[:=-]{0,12}$", re.I
)


def mask_ticket(text: str) -> str:
    """A text with user names, hosts, addresses, tokens and home folders masked.

    Version numbers of four parts (7.7.0.1 and longer) look like addresses; those behind a word
    for a version stay.
    """
    text = mask(text)
    for pattern, replacement in _RULES:
        if replacement == "x.x.x.x":
            text = pattern.sub(_address, text)
        else:
            text = pattern.sub(replacement, text)
    return text


def _address(found: re.Match[str]) -> str:
    before = found.string[max(0, found.start() - 40) : found.start()]
    parts = [int(p) for p in found[0].split(".")]
    if max(parts) > 255 or _VERSION_BEFORE.search(before):
        return found[0]
    return "x.x.x.x"
