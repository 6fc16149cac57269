/** An unsupported grammar; the message completes a sentence whose subject is the grammar. */
export class GrammarFault extends Error {
  override readonly name = 'GrammarFault'
}
