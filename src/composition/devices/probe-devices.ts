import { argv } from 'node:process'
import type { FoundDevice } from '../../core/compute-device.ts'

// Runs in a process of its own, since a driver may crash or hang. Sends the devices of one engine to its parent, then ends.
const [, , engine, ...flags] = argv
const found: readonly FoundDevice[] =
  engine === 'text'
    ? await (await import('../../runtimes/llama/binding/list-text-devices.ts')).listTextDevices()
    : await (await import('../../runtimes/diffusion/onnx/choose-provider.ts')).listImageDevices({ software: flags.includes('--software') })
await new Promise<void>((resolve) => process.send?.(found, () => resolve()))
process.disconnect()
