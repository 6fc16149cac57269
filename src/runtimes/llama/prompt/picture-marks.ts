import { ServiceError } from '../../../core/error.ts'
import type { ChatMessage, PicturePart, SeenPart, ToolDefinition } from '../../../core/text-generation.ts'
import { type ControlGuard, unusedCharacters } from './control-guard.ts'

/** A part of a prompt: text, with or without control tokens, or a picture. */
export type PromptPart = ReturnType<ControlGuard['split']>[number] | { readonly picture: PicturePart }

/** Messages for templates, with a mark in place of each picture. */
interface MarkedMessages {
  readonly messages: readonly ChatMessage[]
  /** Puts the pictures where their marks stand. @throws {ServiceError} `invalid_request_error` if a template omitted or moved one. */
  unmark(parts: ReturnType<ControlGuard['split']>): readonly PromptPart[]
}

/** Puts a mark, a private-use character that neither messages nor tools contain, in the place of every picture. */
export function markPictures(messages: readonly ChatMessage[], tools: readonly ToolDefinition[]): MarkedMessages {
  const pictures = messages.flatMap(partsOf).filter((part) => part.type === 'picture')
  if (pictures.length === 0) return { messages, unmark: (parts) => parts }
  const texts = messages.map((message) => ('parts' in message ? { ...message, parts: [] } : message))
  const [mark = ''] = unusedCharacters([JSON.stringify([texts, tools])], 1)
  return {
    messages: messages.map((message) => ('parts' in message ? { ...message, content: joinParts(partsOf(message), mark) } : message)),
    unmark: (parts) => {
      const left = pictures.values()
      const placed = parts.flatMap((part): readonly PromptPart[] =>
        part.text.split(mark).flatMap((text, index): readonly PromptPart[] => {
          const picture = index === 0 ? undefined : left.next().value
          return [...(picture === undefined ? [] : [{ picture }]), ...(text === '' ? [] : [{ ...part, text }])]
        }),
      )
      const shown = placed.flatMap((part) => ('picture' in part ? [part.picture] : []))
      const marks = parts.reduce((sum, { text }) => sum + text.split(mark).length - 1, 0)
      if (marks === pictures.length && shown.length === marks) return placed
      const message = `The model's chat template shows ${marks} of ${pictures.length} images; move them into the last message.`
      throw new ServiceError('invalid_request_error', message, { param: 'messages' })
    },
  }
}

function partsOf(message: ChatMessage): readonly SeenPart[] {
  return 'parts' in message ? (message.parts ?? []) : []
}

/** Texts become lines, as llama.cpp joins them; around a picture nothing is put. */
function joinParts(parts: readonly SeenPart[], mark: string): string {
  let text = ''
  for (const [index, part] of parts.entries()) {
    if (part.type === 'picture') text += mark
    else text += (text !== '' && parts[index - 1]?.type === 'text' ? '\n' : '') + part.text
  }
  return text
}
