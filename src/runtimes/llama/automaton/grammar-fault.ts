/** A grammar that cannot be followed; the message is the end of a sentence that begins with what the grammar is. */
export class GrammarFault extends Error {
  override readonly name = 'GrammarFault'
}
