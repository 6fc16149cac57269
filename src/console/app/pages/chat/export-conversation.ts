import type { Turn } from '../../../../core/chat/conversation.ts'
import { t } from '../../language/t.ts'
import { messagesOf, textOf } from './message-text.ts'

/** A conversation as a Markdown document: who said what, under its title. */
export function conversationMarkdown(title: string, turns: readonly Turn[]): string {
  const said = turns.map(
    (turn) =>
      `**${turn.role === 'user' ? t`You` : (turn.model ?? t`The model`)}:**\n\n${[...picturesOf(turn), textOf(turn).trim()].filter(Boolean).join('\n\n')}\n`,
  )
  return [`# ${title}\n`, ...said].join('\n')
}

/** Pictures inside the document itself; what their names hold ends no line and no bracket. */
function picturesOf({ pictures = [] }: Turn): readonly string[] {
  return pictures.map(({ name, url }) => `![${name.replace(/[\][\\\r\n]/g, ' ')}](${url})`)
}

/** A conversation as JSON: its messages as chat completions take them, each with what is known of it, and as the console imports them again. */
export function conversationJson(title: string, turns: readonly Turn[]): string {
  const messages = turns.flatMap((turn) =>
    messagesOf(turn).map((message) => ({
      ...message,
      ...(turn.model !== null && { model: turn.model }),
      at: new Date(turn.at).toISOString(),
    })),
  )
  const exported = turns.map(({ role, content, model, thoughts, files, pictures, calls }) => ({
    role,
    content,
    ...(model !== null && { model }),
    ...(thoughts && { thoughts }),
    ...(files.length > 0 && { files }),
    ...(pictures && { pictures }),
    ...(calls && { calls }),
  }))
  return `${JSON.stringify({ title, messages, turns: exported }, null, 2)}\n`
}

/** A title as the name of a file on every system. */
export function fileName(title: string, extension: string): string {
  const name = title
    .normalize('NFKD')
    .replace(/[^\p{Letter}\p{Number}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
  return `${name.slice(0, 60).toLowerCase() || 'conversation'}.${extension}`
}
