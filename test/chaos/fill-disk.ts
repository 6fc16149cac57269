import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDiskFull } from '../../src/storage/write-fault.ts'
import { AcknowledgementLog } from './acknowledgement-log.ts'
import { makeChaosRequest } from './chaos-request.ts'
import { Client, type FetchedOutput } from './client.ts'
import { ServiceProcess, type ServiceSettings } from './service-process.ts'
import { judge, type Verdict } from './verdict.ts'

/** A small file system in memory; null where this user may not mount one. */
export function mountSmallDisk(folder: string): (Disposable & { readonly path: string }) | null {
  mkdirSync(folder, { recursive: true })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return null
  }
  return { path: folder, [Symbol.dispose]: () => void execFileSync('umount', ['-l', folder]) }
}

export interface FullDiskReport {
  readonly verdict: Verdict
  /** Statuses of submissions while the disk was full. */
  readonly whileFull: readonly number[]
}

/** Fills the disk under a running service, asks for more, makes room, and judges what was promised. */
export async function fillDisk(settings: ServiceSettings, disk: string): Promise<FullDiskReport> {
  await using service = new ServiceProcess(settings)
  await service.start()
  using acknowledged = new AcknowledgementLog(`${disk}.acknowledged`)
  const client = new Client(service, acknowledged)
  const ids: string[] = []
  for (let index = 0; index < 8; index++) ids.push(await client.submit(`early-${index}`, makeChaosRequest(7)))
  const filler = join(disk, 'filler')
  const { bavail, bsize } = statfsSync(disk)
  try {
    writeFileSync(filler, Buffer.alloc(bavail * bsize))
  } catch (error) {
    // Writes of the service meanwhile take the rest of the space: the disk is as full as requested.
    if (!isDiskFull(error)) throw error
  }
  const whileFull: number[] = []
  for (let index = 0; index < 40; index++) whileFull.push(await submitOnce(client, index, ids))
  rmSync(filler)
  ids.push(await client.submit('late', makeChaosRequest(1)))
  const fetched = new Map<string, FetchedOutput[]>()
  for (const id of new Set(ids)) {
    await client.waitFor(id)
    fetched.set(id, [await client.fetchOutput(id), await client.fetchOutput(id)])
  }
  await service.terminate()
  const evidence = {
    dataFolder: settings.dataFolder,
    acknowledged: acknowledged.read(),
    fetched,
    lines: service.lines,
    rivalCompletions: [],
  }
  return { verdict: judge(evidence), whileFull }
}

async function submitOnce(client: Client, index: number, ids: string[]): Promise<number> {
  const { path, body } = makeChaosRequest(index * 8)
  const padded = JSON.stringify({ ...JSON.parse(body), user: 'x'.repeat(64) })
  const headers = { 'content-type': 'application/json', 'x-service-async': '1', 'idempotency-key': `full-${index}` }
  const response = await client.ask(path, { method: 'POST', headers, body: padded })
  const answer = await response?.text().catch(() => '')
  const id = /"response_id":"([^"]+)"/.exec(answer ?? '')?.[1]
  if (response?.status === 202 && id !== undefined) {
    client.acknowledge({ key: `full-${index}`, responseId: id })
    ids.push(id)
  }
  return response?.status ?? 0
}
