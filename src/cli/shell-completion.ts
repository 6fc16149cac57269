import { flagsOf } from './arguments.ts'
import type { Command } from './command.ts'

/** Supported shells. */
export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** Generates a script that completes commands and their own flags, from the table of commands. */
export function shellCompletion(shell: Shell, commands: readonly Command[]): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](commands)
}

function bashScript(commands: readonly Command[]): string {
  return `# sepia completion bash > /etc/bash_completion.d/sepia
_sepia() {
  local line="\${COMP_WORDS[*]:1:COMP_CWORD-1}" word="\${COMP_WORDS[COMP_CWORD]}" choices=''
  case "$line" in
${groups(commands)
  .map(([prefix, words]) => `    ${quote(prefix)}) choices=${quote(words.join(' '))} ;;`)
  .join('\n')}
  esac
  case "$line " in
${bySpecificity(commands)
  .map((command) => `    ${quote(`${command.words.join(' ')} `)}*) choices="$choices "${quote(flagWords(command).join(' '))} ;;`)
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "$choices" -- "$word"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$word"))
}
complete -o filenames -F _sepia sepia
`
}

function zshScript(commands: readonly Command[]): string {
  return `#compdef sepia
# sepia completion zsh > "\${fpath[1]}/_sepia"
_sepia() {
  local line="\${(j: :)words[2,CURRENT-1]}"
  local -a choices
  case "$line" in
${groups(commands)
  .map(([prefix, words]) => `    ${quote(prefix)}) choices=(${words.map(quote).join(' ')}) ;;`)
  .join('\n')}
  esac
  case "$line " in
${bySpecificity(commands)
  .map((command) => `    ${quote(`${command.words.join(' ')} `)}*) choices+=(${flagWords(command).map(quote).join(' ')}) ;;`)
  .join('\n')}
  esac
  compadd -a choices || _files
}
compdef _sepia sepia
`
}

function fishScript(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => {
    const [first = '', second, third] = command.words
    const seen = `__fish_seen_subcommand_from ${first}`
    const here = second === undefined ? seen : `${seen}; and __fish_seen_subcommand_from ${second}`
    const word =
      second === undefined
        ? `complete -c sepia -n __fish_use_subcommand -a ${first} -d ${quote(command.summary)}`
        : `complete -c sepia -n ${quote(`${seen}; and not __fish_seen_subcommand_from ${second}`)} -a ${second} -d ${quote(command.summary)}`
    const last =
      third === undefined ? [] : [`complete -c sepia -n ${quote(`${here}; and not __fish_seen_subcommand_from ${third}`)} -a ${third}`]
    const flags = flagsOf(command).map(
      ({ name, form, help }) => `complete -c sepia -n ${quote(here)} -l ${name}${form === null ? '' : ' -r'} -d ${quote(help)}`,
    )
    return [word, ...last, ...flags]
  })
  const families = [...new Set(commands.flatMap(({ words }) => (words.length > 1 ? [words[0]] : [])))]
  const heads = families.map((word) => `complete -c sepia -n __fish_use_subcommand -a ${word}`)
  return `# sepia completion fish > ~/.config/fish/completions/sepia.fish\n${[...heads, ...lines].join('\n')}\n`
}

/** Words that may come first, and those that may follow each first word. */
function groups(commands: readonly Command[]): readonly (readonly [string, readonly string[]])[] {
  const found = new Map<string, Set<string>>([['', new Set()]])
  for (const { words } of commands)
    for (const [index, word] of words.entries()) {
      const prefix = words.slice(0, index).join(' ')
      found.set(prefix, (found.get(prefix) ?? new Set()).add(word))
    }
  return [...found].map(([prefix, words]) => [prefix, [...words]])
}

function bySpecificity(commands: readonly Command[]): readonly Command[] {
  return commands.toSorted((a, b) => b.words.length - a.words.length)
}

function flagWords(command: Command): readonly string[] {
  return flagsOf(command).map(({ name }) => `--${name}`)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
