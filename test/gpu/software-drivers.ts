import { existsSync } from 'node:fs'

/** Mesa's Vulkan on the processor, which llama.cpp takes when it is named. */
const lavapipe = '/usr/share/vulkan/icd.d/lvp_icd.x86_64.json'
/** SwiftShader, which comes with Debian's Chromium and which WebGPU takes when it is named. */
const swiftShader = '/usr/lib/chromium/vk_swiftshader_icd.json'

/** Environment in which llama.cpp finds a Vulkan device on a machine without a GPU. */
export function softwareVulkan(runtimeFolder: string): Readonly<Record<string, string>> {
  return { GGML_VK_VISIBLE_DEVICES: '0', VK_ICD_FILENAMES: lavapipe, XDG_RUNTIME_DIR: runtimeFolder }
}

/** Environment in which onnxruntime finds a WebGPU device on a machine without a GPU. */
export const softwareWebGpu: Readonly<Record<string, string>> = { VK_ICD_FILENAMES: swiftShader }

/** Time for a few steps on SwiftShader: ten minutes were seen on a machine that had more to do than it could. */
export const drawingMs: number = 25 * 60_000

/** Why a test is left out here, or false; where every suite must run (SEPIA_CI) it fails instead. */
export const withoutVulkan = leftOutWithout(lavapipe, 'install mesa-vulkan-drivers and libvulkan1 for a software Vulkan')
export const withoutWebGpu = leftOutWithout(swiftShader, "install Debian's chromium for its SwiftShader")

function leftOutWithout(file: string, advice: string): string | false {
  return existsSync(file) || process.env.SEPIA_CI !== undefined ? false : advice
}
