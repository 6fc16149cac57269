import Type from 'typebox'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { textFaultCodes } from '../../faults/refuse-faults.ts'

/** Body of POST /models/load and /models/unload. */
export const modelChoiceSchema = Type.Object(
  { model: Type.String({ minLength: 1, maxLength: 200, description: 'An installed model, see /v1/models.' }) },
  { additionalProperties: false },
)

const checker = createBodyChecker(modelChoiceSchema)

/** The name of the model that a body chooses. @throws {ServiceError} naming every fault. */
export function parseModelChoice(received: unknown): string {
  return checker.parse(received, textFaultCodes).model
}
