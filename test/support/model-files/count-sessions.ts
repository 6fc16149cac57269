import type { TestContext } from 'node:test'
import { InferenceSession } from 'onnxruntime-node'

/** Sessions of the tensor runtime while a test runs. */
export interface SessionCounts {
  /** Most that were open at once. */
  most: number
  opened: number
  /** Those that are open now. */
  readonly open: ReadonlySet<InferenceSession>
  /** How often sessions with exactly these inputs ran. */
  runs(inputs: readonly string[]): number
}

/** Counts the sessions that are opened from now on. */
export function countSessions(context: TestContext): SessionCounts {
  const open = new Set<InferenceSession>()
  const runs = new Map<string, number>()
  const counts = { most: 0, opened: 0, open, runs: (inputs: readonly string[]) => runs.get(inputs.toSorted().join()) ?? 0 }
  const create = InferenceSession.create.bind(InferenceSession)
  context.mock.method(InferenceSession, 'create', async (...given: Parameters<typeof create>) => {
    const session = await create(...given)
    open.add(session)
    counts.opened++
    counts.most = Math.max(counts.most, open.size)
    const key = session.inputNames.toSorted().join()
    session.run = new Proxy(session.run.bind(session), {
      apply(run, self, feeds) {
        runs.set(key, (runs.get(key) ?? 0) + 1)
        return Reflect.apply(run, self, feeds)
      },
    })
    const release = session.release.bind(session)
    session.release = async () => {
      open.delete(session)
      await release()
    }
    return session
  })
  return counts
}
