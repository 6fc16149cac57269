import { env } from 'node:process'
import { InferenceSession } from 'onnxruntime-node'
import { type ComputeDevice, type DeviceChoice, type FoundDevice, gpuBackendsOfImages, imageBackend } from '../../../core/compute-device.ts'
import { ServiceError } from '../../../core/error.ts'

/** Execution providers of onnxruntime. */
export type ExecutionProvider = 'cpu' | 'cuda' | 'webgpu'

/** Drivers without hardware, by the names of their manifests; Vulkan's loader leaves them out. */
const softwareDrivers = '*lvp*,*swiftshader*'

/**
 * Chooses what this process's graphs run on, once, by opening a session with it: a provider that the build lists may still
 * have no device.
 *
 * @throws {ServiceError} `inference_failed` when `gpu` names a provider that finds no device.
 */
export async function chooseProvider({ gpu, gpuDevice }: DeviceChoice): Promise<ExecutionProvider> {
  const backend = imageBackend(gpu)
  if (backend === 'off') return 'cpu'
  if (backend === 'auto') hideSoftwareDrivers()
  if (gpuDevice !== null) env.CUDA_VISIBLE_DEVICES = String(gpuDevice)
  for (const provider of backend === 'auto' ? gpuBackendsOfImages : [backend]) {
    if (await findsDevice(provider)) return provider
  }
  if (backend === 'auto') return 'cpu'
  throw new ServiceError('inference_failed', `onnxruntime finds no device for gpu ${backend}; ${fixes[backend]}, or start with --gpu auto.`)
}

/** Hides drivers that imitate a GPU on the processor from this process; comes before its first session. */
function hideSoftwareDrivers(): void {
  env.VK_LOADER_DRIVERS_DISABLE ??= softwareDrivers
}

/** The device of a provider for `/v1/models`; onnxruntime does not report device names. */
export function deviceOf(provider: ExecutionProvider): ComputeDevice {
  return { backend: provider, name: null }
}

/** Whether a session opens on a provider. */
async function findsDevice(provider: 'cuda' | 'webgpu'): Promise<boolean> {
  try {
    const session = await InferenceSession.create(identityGraph, { executionProviders: [provider], logSeverityLevel: 4 })
    await session.release()
    return true
  } catch {
    return false
  }
}

const fixes = {
  cuda: 'install its CUDA libraries (see docs/hardware.md) and check the driver',
  webgpu: 'install a driver for Vulkan, Metal or Direct3D 12',
} as const

/** An ONNX model of opset 13 with one `Identity` node from input `x` to output `y`, both float [1]. */
const identityGraph = Buffer.from(
  '08084202100d3a370a100a017812017922084964656e746974791201675a0f0a0178120a0a08080112040a020801620f0a0179120a0a08080112040a020801',
  'hex',
)

/**
 * Every device that onnxruntime finds, by opening a session on each provider.
 *
 * @param options.software Whether devices that only imitate a GPU count. Drivers are read once per process, so each answer takes one of its own.
 */
export async function listImageDevices({ software }: { readonly software: boolean }): Promise<readonly FoundDevice[]> {
  if (!software) hideSoftwareDrivers()
  const found: FoundDevice[] = []
  for (const backend of gpuBackendsOfImages)
    if (await findsDevice(backend))
      found.push({ engine: 'images', index: 0, backend, name: null, software, memoryBytes: null, freeBytes: null, driver: null })
  return found
}
