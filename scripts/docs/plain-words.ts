/** Words and turns of phrase that a reader has to read twice; STYLE.md says what to write instead. */
const refused = /\b(?:told|whoever|whomever|anew|one[’']s own|as (?:many|much|long|far|few) as (?:it |they |you )?may)\b/gi

const literal = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g

/** Names of things that speak and listen. `tellsTokens` is stored with requests. */
const refusedName = /\b(?!tellsTokens\b)#?(?:(?:told|heard|hears|tells|borrow)[A-Z]\w*|[a-z]\w*(?:Told|Heard|Anew|Nowhere)\b|goesBy\b)/g

/** The refused words of a text, in their order. */
export function refusedWords(text: string): readonly string[] {
  return text.match(refused) ?? []
}

/** The refused words of a source: its comments, its tests' names and its identifiers. */
export function refusedInSource(source: string): readonly string[] {
  return [...refusedWords(source), ...(source.match(refusedName) ?? [])]
}

/** The sentences among the string literals of a source: those of four words and more, without comments. */
export function proseIn(source: string): readonly string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '')
  return (code.match(literal) ?? [])
    .map((quoted) => quoted.slice(1, -1))
    .filter((text) => (text.replaceAll(/\$\{[^}]*\}/g, '').match(/[A-Za-z]{2,}/g) ?? []).length >= 4)
}
