import type { Template } from '@huggingface/jinja'
import { renderWithin } from './render-within.ts'

const needle = 'needle'
const question = { role: 'user', content: needle }
const tryMs = 1000

/** A message whose content is a list of one text part, as the templates of models that also see pictures expect it. */
export function withContentParts(message: { readonly content: string }): object {
  return { ...message, content: message.content === '' ? [] : [{ type: 'text', text: message.content }] }
}

/** Whether a template shows what a user says only when it comes as a list of parts. */
export function needsContentParts(template: Template, variables: Record<string, unknown>): boolean {
  const shows = (message: object): boolean => {
    try {
      return renderWithin(tryMs, template, { ...variables, messages: [message], tools: null }).includes(needle)
    } catch {
      return false // whatever it objects to, it will object to again when it is asked for an answer
    }
  }
  return !shows(question) && shows(withContentParts(question))
}
