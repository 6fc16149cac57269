interface Said {
  readonly role: string
  readonly content: string
}

const [early, late] = ['early needle', 'late needle']
const conversation: readonly Said[] = [
  { role: 'system', content: early },
  { role: 'user', content: 'question' },
  { role: 'assistant', content: 'answer' },
  { role: 'system', content: late },
  { role: 'user', content: 'question' },
]

/** Whether a template leaves out or refuses one of several system messages. */
export function losesRules(render: (messages: readonly Said[]) => string): boolean {
  try {
    const text = render(conversation)
    return !text.includes(early) || !text.includes(late)
  } catch {
    return true
  }
}

/** The same conversation with all system messages as one at its head. */
export function gatherRules<Message extends Said>(messages: readonly Message[]): readonly Message[] {
  const rules = messages.filter(({ role }) => role === 'system')
  const [first, ...others] = rules
  if (first === undefined || (others.length === 0 && first === messages[0])) return messages
  return [{ ...first, content: rules.map(({ content }) => content).join('\n\n') }, ...messages.filter(({ role }) => role !== 'system')]
}
