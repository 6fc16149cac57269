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

/** Whether a template leaves out a system message that is all there is. */
export function hidesLoneRules(render: (messages: readonly Said[]) => string): boolean {
  try {
    return !render([{ role: 'system', content: early }]).includes(early)
  } catch {
    return false // The template is called to report why it refuses.
  }
}

/** Merges all system messages into one at the start; those after the last answer become part of the user's next message. */
export function gatherRules<Message extends Said>(messages: readonly Message[]): readonly Message[] {
  const end = messages.findLastIndex(({ role }) => role !== 'system') + 1
  const requested = messages[end - 1]?.role === 'assistant' ? messages.slice(end) : []
  const said = messages.slice(0, messages.length - requested.length)
  return [...moveToHead(said), ...asOne(requested).map((message) => ({ ...message, role: 'user' }))]
}

function moveToHead<Message extends Said>(messages: readonly Message[]): readonly Message[] {
  const rules = messages.filter(({ role }) => role === 'system')
  if (rules.length === 0 || (rules.length === 1 && rules[0] === messages[0])) return messages
  return [...asOne(rules), ...messages.filter(({ role }) => role !== 'system')]
}

function asOne<Message extends Said>(messages: readonly Message[]): readonly Message[] {
  const [first] = messages
  return first === undefined ? [] : [{ ...first, content: messages.map(({ content }) => content).join('\n\n') }]
}
