/** One thing that a source file offers by name. */
export interface FoundExport {
  readonly name: string
  readonly kind: 'function' | 'class' | 'value' | 'type'
  /** Whether a doc comment stands above it. */
  readonly documented: boolean
  /** Whether its type is written down where it is declared, which may say it all. */
  readonly annotated: boolean
  /** Whether it states what it returns; true for what is no function. */
  readonly typed: boolean
  /** Line of the source file, from 1. */
  readonly line: number
}

const declaration =
  /^export (?:declare )?(?:abstract )?(?:async )?(?<word>function\*?|class|const|let|interface|type|enum)\s+(?<name>[\w$]+)/

/** Finds what a formatted source file exports where it declares it. */
export function findExports(source: string): readonly FoundExport[] {
  const lines = source.split('\n')
  return lines.flatMap((text, index) => {
    const { word = '', name = '' } = declaration.exec(text)?.groups ?? {}
    if (name === '') return []
    const kind = kindOf(word)
    return [
      {
        name,
        kind,
        documented: isDocumented(lines, index) || isOverload(lines[index - 1], name),
        annotated: kind === 'type' || /^export (?:const|let) [\w$]+: /.test(text),
        typed:
          kind === 'function'
            ? statesReturn(lines.slice(index).join('\n'))
            : kind !== 'value' || isTypedValue(lines.slice(index).join('\n')),
        line: index + 1,
      },
    ]
  })
}

function kindOf(word: string): FoundExport['kind'] {
  if (word.startsWith('function')) return 'function'
  if (word === 'class') return 'class'
  return word === 'interface' || word === 'type' ? 'type' : 'value'
}

/** A doc comment ends in the line above; a comment for a tool may stand between. */
function isDocumented(lines: readonly string[], at: number): boolean {
  let above = at - 1
  while (/^\/\/ /.test(lines[above] ?? '')) above--
  return /\*\/$/.test(lines[above] ?? '')
}

/** Whether the line above already declares another signature of the same function, which carries the comment. */
function isOverload(above: string | undefined, name: string): boolean {
  return declaration.exec(above ?? '')?.groups?.name === name
}

/** Whether the parameters of a function are followed by a colon. */
function statesReturn(text: string): boolean {
  const open = text.indexOf('(', afterTypeParameters(text))
  return text.slice(closing(text, open) + 1).startsWith(':')
}

/** Whether a constant is no arrow function, or one that states what it returns. */
function isTypedValue(text: string): boolean {
  const value = /^export const [\w$]+ = (?:async )?(?<open>[(<])/.exec(text)
  if (value === null) return true
  const open = text.indexOf('(', value[0].length - 1)
  const after = text.slice(closing(text, open) + 1)
  return !/^ =>/.test(after)
}

/** Where the list of type parameters behind a function's name ends, or 0. */
function afterTypeParameters(text: string): number {
  const start = /^[^(<]*</.exec(text)
  if (start === null) return 0
  let depth = 1
  let at = start[0].length
  while (depth > 0 && at < text.length) {
    if (text[at] === '<') depth++
    if (text[at] === '>' && text[at - 1] !== '=') depth--
    at++
  }
  return at
}

/** The index of the parenthesis that closes the one at `open`. */
function closing(text: string, open: number): number {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    if (text[at] === '(') depth++
    if (text[at] === ')' && --depth === 0) return at
  }
  return text.length
}
