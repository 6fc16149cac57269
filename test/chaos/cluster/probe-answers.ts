import { setTimeout as pause } from 'node:timers/promises'
import { type ClusterClient, describeSubmission, readResponseId } from './cluster-client.ts'
import type { ChaosNode } from './cluster-under-test.ts'

export type ProbedVerb = 'submit' | 'poll' | 'fetch' | 'cancel'

/** The longest that a node took to answer anything at all, and what it answered that it should not. */
export interface ProbeReport {
  readonly worstMs: Record<ProbedVerb, number>
  readonly worstDuring: Record<ProbedVerb, string>
  /** Answers over 499 but 503, and silence. */
  readonly wrong: string[]
  count: number
}

const everyMs = 200
/** A node that is silent for so long is judged silent. */
const limitMs = 15_000

/** Asks every node again and again for everything that must be answered whatever is down; stops when `isOver`. */
export async function probeAnswers(
  client: ClusterClient,
  nodes: readonly ChaosNode[],
  { fault, isOver }: { readonly fault: () => string; readonly isOver: () => boolean },
): Promise<ProbeReport> {
  const report: ProbeReport = {
    worstMs: { submit: 0, poll: 0, fetch: 0, cancel: 0 },
    worstDuring: { submit: '', poll: '', fetch: '', cancel: '' },
    wrong: [],
    count: 0,
  }
  const [known = ''] = await client.submit('probe-known', 0)
  await client.waitFor(known)
  const measure = async (node: ChaosNode, verb: ProbedVerb, path: string, init: RequestInit = {}) => {
    const { falls } = node
    const during = fault()
    const startedAt = performance.now()
    const answer = await client.askNode(node, path, init, limitMs)
    const ms = performance.now() - startedAt
    // A request to a process that is stopped, killed or starting waits for that.
    if (!node.up || node.falls !== falls) return null
    report.count++
    if (answer === null || (answer.status >= 500 && answer.status !== 503))
      report.wrong.push(`${verb} ${answer?.status ?? 'silence'} after ${Math.round(ms)} ms during ${during}: ${answer?.text ?? ''}`)
    if (ms > report.worstMs[verb]) {
      report.worstMs[verb] = ms
      report.worstDuring[verb] = during
    }
    return answer
  }
  const lane = async (node: ChaosNode, place: number) => {
    for (let round = 0; !isOver(); round++) {
      await pause(everyMs)
      if (!node.up) continue
      const submitted = await measure(node, 'submit', '/v1/chat/completions', describeSubmission(`probe-${place}-${round}`, 0))
      const id = submitted?.status === 202 ? readResponseId(submitted) : known
      await measure(node, 'poll', `/v1/requests/${id}`)
      await measure(node, 'fetch', `/v1/responses/${known}`)
      await measure(node, 'cancel', `/v1/requests/${id}`, { method: 'DELETE' })
    }
  }
  await Promise.all(nodes.map(lane))
  return report
}
