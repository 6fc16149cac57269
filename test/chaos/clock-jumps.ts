import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { AcknowledgementLog } from './acknowledgement-log.ts'
import { makeChaosRequest } from './chaos-request.ts'
import { Client } from './client.ts'
import { ServiceProcess, type ServiceSettings } from './service-process.ts'

const hour = 60 * 60 * 1000

export interface ClockJumpReport {
  /** Status of the responses with the clock an hour back, after a completion before the jump. */
  readonly hourBack: number
  /** Status of a request made and fetched with the clock an hour back. */
  readonly madeHourBack: number
  /** Statuses after 25 hours: of the response, and of the poll. */
  readonly dayLater: { readonly response: number; readonly poll: number }
  /** Output files left after 25 hours. */
  readonly filesLeft: number
}

/** Sets the service's clock back an hour, and forward by 25. */
export async function jumpClock(settings: ServiceSettings): Promise<ClockJumpReport> {
  await using service = new ServiceProcess(settings)
  await service.start()
  using acknowledged = new AcknowledgementLog(`${settings.dataFolder}.acknowledged`)
  const client = new Client(service, acknowledged)
  const complete = async (key: string, index: number) => {
    const id = await client.submit(key, makeChaosRequest(index))
    await client.waitFor(id)
    return id
  }
  const before = await complete('before', 0)
  await shift(service, -hour)
  const hourBack = (await client.fetchOutput(before)).status
  const madeHourBack = (await client.fetchOutput(await complete('hour-back', 1))).status
  await shift(service, 25 * hour)
  const response = (await client.fetchOutput(before)).status
  const poll = (await client.ask(`/v1/requests/${before}`))?.status ?? 0
  const filesLeft = await waitForNoFiles(join(settings.dataFolder, 'outputs'))
  return { hourBack, madeHourBack, dayLater: { response, poll }, filesLeft }
}

async function shift(service: ServiceProcess, offsetMs: number): Promise<void> {
  service.shiftTime(offsetMs)
  while (service.shiftedBy() !== offsetMs) await pause(20)
}

/** Waits up to five minutes for the sweep; says how many files are left. */
async function waitForNoFiles(folder: string): Promise<number> {
  for (let tries = 1200; ; tries--) {
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
    if (files.length === 0 || tries === 0) return files.length
    await pause(250)
  }
}
