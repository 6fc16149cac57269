import Type from 'typebox'
import type { FieldFault } from '../../../../core/error.ts'
import { type BodyOf, optional } from '../../../faults/object-schema.ts'
import { fieldFault } from '../../../faults/refuse-faults.ts'
import type { ChatMessageBody } from '../chat-message-schema.ts'

/** The fields about continuing the last message. */
export const openingFields = optional({
  continue_final_message: Type.Boolean({
    description: 'Whether the answer continues the last assistant message; true by default if the last message is one.',
  }),
  add_generation_prompt: Type.Boolean({
    default: true,
    description: 'Whether the answer is a new turn of the assistant; not together with continue_final_message.',
  }),
})

type OpeningBody = BodyOf<typeof openingFields> & { readonly messages: readonly ChatMessageBody[] }

/** Finds contradictions between these fields and the last message. */
export function findOpeningFaults(body: OpeningBody): readonly FieldFault[] {
  if (body.continue_final_message !== true) return []
  if (body.add_generation_prompt === true)
    return [fieldFault('continue_final_message', 'contradicts `add_generation_prompt: true`; send one of them.')]
  return isContinuable(body)
    ? []
    : [fieldFault('continue_final_message', 'needs a last message of the assistant with text and without tool calls.')]
}

/** The opening of the answer; undefined = a new turn. */
export function readOpening(body: OpeningBody): 'last-message' | 'bare' | undefined {
  const { continue_final_message: continued, add_generation_prompt: opened } = body
  if (continued === true || (continued === undefined && opened === undefined && isContinuable(body))) return 'last-message'
  return opened === false ? 'bare' : undefined
}

function isContinuable({ messages }: OpeningBody): boolean {
  const last = messages.at(-1)
  return last?.role === 'assistant' && last.content !== undefined && last.content.length > 0 && (last.tool_calls ?? []).length === 0
}
