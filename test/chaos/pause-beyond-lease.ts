import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { ServiceProcess } from './service-process.ts'

const run = promisify(execFile)

/** Actions of a rival while the service was paused. */
export interface RivalReport {
  readonly swept: number
  readonly completed: readonly { readonly id: string; readonly sha256: string }[]
}

/** Stops the service until its leases have run out, lets a rival take over, and wakes it again. */
export async function pauseBeyondLease(
  service: ServiceProcess,
  { dataFolder, leaseMs }: { readonly dataFolder: string; readonly leaseMs: number },
): Promise<RivalReport> {
  service.pause()
  try {
    await pause(leaseMs + 100)
    const rival = fileURLToPath(new URL('./rival-worker.ts', import.meta.url))
    const { stdout } = await run(process.execPath, ['--disable-warning=ExperimentalWarning', rival, dataFolder], { timeout: 20_000 })
    return JSON.parse(stdout) as RivalReport
  } catch {
    // The service was stopped during a commit, which blocks other writers: an ordinary long pause.
    return { swept: 0, completed: [] }
  } finally {
    service.resume()
  }
}
