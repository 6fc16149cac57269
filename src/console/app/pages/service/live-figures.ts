import type { NodeTally, Timed } from '../../../../core/cluster/node.ts'
import type { ServiceHealth, ServiceNode } from '../../../contract/service.ts'

/** Figures of nodes between two readings or at the later one; null = no such events. */
export interface LiveFigures {
  readonly tokensPerSecond: number
  readonly requestsPerSecond: number
  /** Mean time to the first token, in milliseconds. */
  readonly firstTokenMs: number | null
  /** Mean time of a denoising step, in milliseconds. */
  readonly stepMs: number | null
  readonly inUse: number
  readonly waiting: number
  /** Memory of the nodes' processes and their models. */
  readonly memoryBytes: number
  /** Age of the longest waiting request, in milliseconds. */
  readonly queuedMs: number
}

/** Shortest span between compared readings; a node reports every two seconds. */
const minSpanMs = 3500

/** The figures of all nodes at the newest of some readings, oldest first. */
export function figuresOf(readings: readonly ServiceHealth[]): LiveFigures {
  const newest = readings.at(-1)
  const nodes = (newest?.nodes ?? []).map((node) => workOf(readings, node))
  const sum = (read: (work: NodeWork) => number) => nodes.reduce((total, work) => total + read(work), 0)
  return {
    tokensPerSecond: sum(({ tokensPerSecond }) => tokensPerSecond),
    requestsPerSecond: sum(({ requestsPerSecond }) => requestsPerSecond),
    firstTokenMs: meanMs(nodes.map(({ firstTokens }) => firstTokens)),
    stepMs: meanMs(nodes.map(({ steps }) => steps)),
    inUse: sum(({ node }) => node.inUse),
    waiting: sum(({ node }) => node.waiting),
    memoryBytes: sum(({ node }) => node.modelMemoryBytes + (node.tally?.residentBytes ?? 0)),
    queuedMs: newest?.queuedMs ?? 0,
  }
}

/** The same for one node. */
export function figuresOfNode(readings: readonly ServiceHealth[], id: string): LiveFigures {
  return figuresOf(readings.map((reading) => ({ ...reading, queuedMs: null, nodes: reading.nodes.filter((node) => node.id === id) })))
}

interface NodeWork {
  readonly node: ServiceNode
  readonly tokensPerSecond: number
  readonly requestsPerSecond: number
  readonly firstTokens: Timed
  readonly steps: Timed
}

/** The work of a node since a reading that is far enough back. A node that was restarted in between counts from zero. */
function workOf(readings: readonly ServiceHealth[], node: ServiceNode): NodeWork {
  const earlier = readings.slice(0, -1).flatMap(({ nodes }) => nodes.find(({ id }) => id === node.id) ?? [])
  const before = earlier.findLast(({ seenAt }) => node.seenAt - seenAt >= minSpanMs) ?? earlier[0] ?? node
  const seconds = Math.max(0.001, (node.seenAt - before.seenAt) / 1000)
  const [now, then] = [node.tally ?? nothing, before.tally ?? nothing]
  const since = now.startedAt === then.startedAt ? then : nothing
  const timed = (read: (tally: NodeTally) => Timed): Timed => ({
    count: read(now).count - read(since).count,
    seconds: read(now).seconds - read(since).seconds,
  })
  return {
    node,
    tokensPerSecond: (now.completionTokens - since.completionTokens) / seconds,
    requestsPerSecond: (now.requests - since.requests) / seconds,
    firstTokens: timed(({ firstTokens }) => firstTokens),
    steps: timed(({ steps }) => steps),
  }
}

const none: Timed = { count: 0, seconds: 0 }
const nothing: NodeTally = { startedAt: 0, completionTokens: 0, requests: 0, firstTokens: none, steps: none, residentBytes: 0 }

function meanMs(all: readonly Timed[]): number | null {
  const count = all.reduce((sum, timed) => sum + timed.count, 0)
  return count > 0 ? (all.reduce((sum, timed) => sum + timed.seconds, 0) / count) * 1000 : null
}
