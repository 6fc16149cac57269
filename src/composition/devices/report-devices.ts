import type { FoundDevice } from '../../core/compute-device.ts'

/** Sends the found devices to the parent process and exits. */
export async function reportDevices(found: Promise<readonly FoundDevice[]>): Promise<void> {
  const devices = await found
  await new Promise<void>((resolve) => process.send?.(devices, () => resolve()))
  process.disconnect()
}
