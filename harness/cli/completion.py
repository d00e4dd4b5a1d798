"""`harness completion`: what a shell needs to complete commands, options, ids and clauses."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

VARIABLE = "_HARNESS_COMPLETE"
# Shell -> the line that loads the completion, and the file that it belongs into.
LOADED = {
    "bash": ('eval "$(harness completion bash)"', "~/.bashrc"),
    "zsh": ('eval "$(harness completion zsh)"', "~/.zshrc"),
    "fish": ("harness completion fish | source", "~/.config/fish/config.fish"),
}


@click.command("completion", short_help="Print what a shell needs to complete commands.")
@click.argument("shell", type=click.Choice(tuple(LOADED)))
def command(shell: str) -> int:
    """Print the completion of SHELL: commands, options, ids, folders, protocols and clauses.

    Load it where your shell starts: in ~/.bashrc `eval "$(harness completion bash)"`, in ~/.zshrc
    the same with zsh, in fish's config.fish `harness completion fish | source`.
    """
    from harness.cli.main import cli

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(cli, {}, "harness", VARIABLE).source())
    return 0


def places(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete PATHS: folders and ids of scenarios, by the names of their files, then files."""
    del ctx, param
    from harness.engine.catalogue.workspace import workspace
    from harness.scenario.files import name_of, real, scenario_files

    root = real(workspace(Path.cwd()).scenarios)
    files = (file for file in scenario_files(root) if isinstance(file, Path))
    names = [name_of(file, root) for file in files]
    ids = [name.replace("/", ".") for name in names]
    folders = sorted({f"{name.partition('/')[0]}/" for name in names if "/" in name})
    found = [one for one in (*folders, *ids) if one.startswith(incomplete)]
    if found:
        return [CompletionItem(one) for one in found]
    return [CompletionItem(incomplete, type="file")]


def protocols(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of a protocol."""
    del ctx, param
    from harness.protocols import PROTOCOLS

    return [name for name in PROTOCOLS if name.startswith(incomplete)]


def clauses(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the id of a clause."""
    del ctx, param
    from harness.protocols.clauses import CLAUSES

    return [clause for clause in CLAUSES if clause.startswith(incomplete)]


def names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete what can be explained: clauses, ids, settings, findings, verdicts and mutants."""
    from harness.model.finding import FindingKind, Judgement
    from harness.mutants.table import MUTANTS
    from harness.report.explain.setting import setting_names

    ids = [str(one.value) for one in places(ctx, param, incomplete) if one.type == "plain"]
    every = dict.fromkeys((*setting_names(), *FindingKind, *Judgement, *MUTANTS))
    others = [one for one in every if one.startswith(incomplete)]
    return [*clauses(ctx, param, incomplete), *ids, *others]
