import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileChatTemplate } from './prompt/chat-template.ts'
import { StretchMemory } from './prompt/stretch-memory.ts'
import { detectToolFormat } from './prompt/tool-format.ts'
import { tokenizeText } from './text-tokens.ts'

const { signal } = new AbortController()

/** A vocabulary of bytes. */
const engine = {
  vocabulary: {
    size: 256,
    controlTexts: [],
    beginText: '',
    endText: '',
    begin: null,
    end: null,
    gap: null,
    tokenize: (text: string) => Uint32Array.from(Buffer.from(text)),
    cut: (text: string) => [text],
    piece: (token: number) => ({ bytes: Uint8Array.of(token), text: String.fromCharCode(token) }),
    spell: (token: number) => Uint8Array.of(token),
    ends: [],
    isEnd: () => false,
  },
  template: compileChatTemplate(null, { begin: '', end: '' }),
  toolFormat: detectToolFormat(''),
  stretches: new StretchMemory(),
  pictures: null,
  contextLength: 1000,
  longestToken: 1000,
}
const read = async (text: string, contextLength = 1000) => {
  const input = { type: 'text', text, framed: false, special: false } as const
  return (await tokenizeText({ ...engine, contextLength }, { model: 'm', input, spelled: false }, { account: 'a', signal })).tokens.length
}

test('a text may have more tokens than the context, up to a limit that protects other requests', async () => {
  const most = 2 ** 18
  assert.equal(await read('a'.repeat(most)), most)
  await assert.rejects(read('a'.repeat(most + 1)), { code: 'context_length_exceeded', param: 'prompt', message: /262145/ })
  assert.equal(await read('a'.repeat(most + 1), most + 1), most + 1)
})
