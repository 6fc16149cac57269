import Type from 'typebox'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { textFaultCodes } from '../../faults/refuse-faults.ts'
import { mostTokenIds, tokenId } from './token-ids.ts'
import { onlyModel } from './tokenize-request.ts'

/** The body of POST /detokenize. */
export const detokenizeSchema = Type.Object(
  {
    model: onlyModel,
    tokens: Type.Array(tokenId, { maxItems: mostTokenIds, description: 'Token ids.' }),
  },
  { additionalProperties: false },
)

const checker = createBodyChecker(detokenizeSchema)

/** Reads the body of POST /detokenize. @throws {ServiceError} naming every fault at once. */
export function parseDetokenizeRequest(received: unknown): { readonly model: string | undefined; readonly tokens: readonly number[] } {
  const { model, tokens } = checker.parse(received, textFaultCodes)
  return { model, tokens }
}
