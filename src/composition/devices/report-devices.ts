import type { FoundDevice } from '../../core/compute-device.ts'

/** Tells the process that forked this one what was found, and ends. */
export async function reportDevices(found: Promise<readonly FoundDevice[]>): Promise<void> {
  const devices = await found
  await new Promise<void>((resolve) => process.send?.(devices, () => resolve()))
  process.disconnect()
}
