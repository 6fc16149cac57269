/**
 * How much do another account's grammars slow a stream down? One stream of 300 tokens in the built-in model runs alone, beside four plain answers of
 * another account, and beside four requests with hostile grammars, each with a different one; by turns. Printed are the medians of the stream's wall
 * time (bar: twice that beside plain answers), on one engine thread.
 *
 * Run: `node bench/security/grammar-neighbour.ts [rounds]`.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { JsonObject } from '../../src/core/json-value.ts'
import { loadLlamaModel } from '../../src/runtimes/llama/load-llama-model.ts'
import { ask, miniChat } from '../../test/support/mini-chat.ts'
import { describeMachine, median } from '../measure.ts'

const rounds = Number(process.argv[2] ?? 5)
const lanes = 4
const endless = 'root ::= s\ns ::= [a-z ] s s | [a-z ] s | [a-z ]'
/** Streams of one length, whatever the model would say. */
const ending = { includeStop: false, stopTokens: [], minTokens: 300, ignoreEnd: true }
let made = 0
/** Made beforehand: what an enemy does to make them is done elsewhere. The title of each makes it new. */
const variants = Array.from({ length: 7 }, (_, index) => index)
const lengths = variants.map(members)
const constants = variants.map((variant) => ({ enum: Array.from({ length: 4000 }, (_, index) => `constant${index} ${variant}`) }))

/** Each makes a new grammar. */
const neighbours: Readonly<Record<string, (() => object) | null>> = {
  alone: null,
  'plain answers': () => ({}),
  'endless work': () => ({ responseFormat: { type: 'grammar', grammar: `${endless} # ${made++}`, field: 'grammar' } }),
  'lists of two kinds, 15 deep': () => jsonSchema(alikeLists(15)),
  '1 000 members of as many lengths': () => jsonSchema(lengths[made % lengths.length] ?? {}),
  '4 000 constants': () => jsonSchema(constants[made % constants.length] ?? {}),
}

console.log(describeMachine())
await using model = await loadLlamaModel(miniChat, { threads: 1, slots: 8, signal: new AbortController().signal })
const times = new Map<string, number[]>()
for (let round = 0; round < rounds; round++)
  for (const [name, wish] of Object.entries(neighbours)) times.set(name, [...(times.get(name) ?? []), await measure(name, wish)])
const alone = median(times.get('alone') ?? [])
const plain = median(times.get('plain answers') ?? [])
for (const [name, all] of times) {
  const took = median(all)
  console.log(`${name}: ${took.toFixed(0)} ms, ${(took / alone).toFixed(2)} × alone, ${(took / plain).toFixed(2)} × beside plain answers`)
}

/** Milliseconds of one honest stream; the neighbour sends again as soon as it is answered, until the stream has ended. */
async function measure(name: string, wish: (() => object) | null): Promise<number> {
  const over = new AbortController()
  const ends = wish === null ? [] : Array.from({ length: lanes }, () => annoy(name, wish, over.signal))
  const startedAt = performance.now()
  const honest = ask('What is the capital of France?', { maxTokens: 300, ending, sampling: { temperature: 1, seed: 7 } })
  for await (const _ of model.generate(honest, { signal: new AbortController().signal, account: 'honest' }));
  const took = performance.now() - startedAt
  over.abort()
  await Promise.all(ends)
  return took
}

async function annoy(account: string, wish: () => object, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const request = ask('Write.', { maxTokens: 300, ending, sampling: { temperature: 1, seed: made }, ...wish() })
      for await (const _ of model.generate(request, { signal, account }));
    } catch {
      // Refused: a hostile client tries again at once, though no sooner than an answer takes on its way.
      await pause(2)
    }
  }
}

function jsonSchema(schema: JsonObject): object {
  return { responseFormat: { type: 'json_schema', schema: { ...schema, title: `${made++}` } } }
}

function alikeLists(depth: number): JsonObject {
  const inner = depth === 1 ? { type: 'integer' } : alikeLists(depth - 1)
  return {
    anyOf: [
      { type: 'array', items: inner },
      { type: 'array', minItems: 1 },
    ],
  }
}

function members(variant: number): JsonObject {
  const entries = Array.from({ length: 1000 }, (_, index) => [
    `member${index}`,
    { type: 'string', maxLength: Math.min(1000, index + 1 + variant) },
  ])
  return { type: 'object', properties: Object.fromEntries(entries) }
}
