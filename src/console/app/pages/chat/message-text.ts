import type { Turn } from '../../../../core/conversation.ts'

/** A message as the model reads it: attached files follow what was written, each in a fence that nothing in it closes. */
export function messageOf({ role, content, files }: Pick<Turn, 'role' | 'content' | 'files'>): { role: Turn['role']; content: string } {
  const attached = files.map(({ name, text }) => {
    const fence = '`'.repeat(Math.max(3, longestFence(text) + 1))
    return `\n\n${name}:\n${fence}\n${text}\n${fence}`
  })
  return { role, content: content + attached.join('') }
}

function longestFence(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length))
}
