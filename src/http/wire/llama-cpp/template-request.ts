import Type from 'typebox'
import type { ChatInput } from '../../../core/text-generation.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { closed } from '../../faults/object-schema.ts'
import { textFaultCodes } from '../../faults/refuse-faults.ts'
import { chatMessageSchema } from '../chat/chat-message-schema.ts'
import { createChatRequestParser } from '../chat/chat-request.ts'
import { openingFields } from '../chat/fields/opening-fields.ts'
import { thinkingFields } from '../chat/fields/thinking-fields.ts'
import type { BodySettings } from '../chat/sampling-fields.ts'
import { toolFields } from '../chat/tool-fields.ts'
import { onlyModel } from '../tokens/tokenize-request.ts'

/** The body of POST /apply-template. */
export const templateSchema = closed({
  model: onlyModel,
  messages: Type.Array(chatMessageSchema, { minItems: 1, description: 'A conversation, as for a chat completion.' }),
  ...toolFields,
  ...openingFields,
  ...thinkingFields,
})

/** Answer of POST /apply-template. */
export const templateAnswerSchema = Type.Object({
  prompt: Type.String({ description: 'Without the token that begins every prompt; send it to POST /completion.' }),
})

/**
 * Makes the parser of POST /apply-template.
 *
 * @param choose Finds the requested model.
 */
export function createTemplateParser(
  settings: BodySettings,
  choose: (model: string | undefined) => string,
): (body: unknown) => { readonly model: string; readonly input: ChatInput } {
  const checker = createBodyChecker(templateSchema)
  const parseChat = createChatRequestParser(settings)
  return (received) => {
    const { model: named, ...fields } = checker.parse(received, textFaultCodes)
    const model = choose(named)
    const { input } = parseChat({ ...fields, model }).request
    if (input.type !== 'chat') throw new TypeError('A chat request became something else')
    return { model, input }
  }
}
