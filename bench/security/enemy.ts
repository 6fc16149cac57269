import type { BenchTarget } from './bench-target.ts'
import { makeAttacks } from './hostile-classes.ts'

// The enemy of the bench, in a process of its own. Given a class and a number, it sends so many requests of it at once, and says at the end
// of all of them how each ended.

interface Order {
  readonly number: number
  readonly target: BenchTarget
  readonly attack: string
  readonly count: number
}

const attacks = makeAttacks()
const longestMs = 120_000

process.on('message', async ({ number, target, attack, count }: Order) => {
  const send = attacks.get(attack)
  if (send === undefined) throw new Error(`There is no class ${attack}.`)
  const ends = await Promise.all(Array.from({ length: count }, () => send(target, AbortSignal.timeout(longestMs))))
  process.send?.({ number, ends })
})
process.on('disconnect', () => process.exit())
process.send?.([...attacks.keys()])
