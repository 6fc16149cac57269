import { type FoundDevice, gpuBackendsOfImages } from '../../../core/compute-device.ts'
import { findsDevice, hideSoftwareDrivers } from './choose-provider.ts'

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
