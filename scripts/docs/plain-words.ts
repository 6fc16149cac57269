/** Words and turns of phrase that a reader has to read twice; STYLE.md says what to write instead. */
const refused = /\b(?:told|whoever|whomever|anew|of one's own|as (?:many|much|long|far|few) as (?:it |they |you )?may)\b/gi

const literal = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g

/** The refused words of a text, in their order. */
export function refusedWords(text: string): readonly string[] {
  return text.match(refused) ?? []
}

/** The sentences among the string literals of a source: those of four words and more, without comments. */
export function proseIn(source: string): readonly string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '')
  return (code.match(literal) ?? [])
    .map((quoted) => quoted.slice(1, -1))
    .filter((text) => (text.replaceAll(/\$\{[^}]*\}/g, '').match(/[A-Za-z]{2,}/g) ?? []).length >= 4)
}
