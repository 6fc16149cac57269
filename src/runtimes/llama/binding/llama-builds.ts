import { join } from 'node:path'
import { arch, platform } from 'node:process'

/** Location of a build of llama.cpp. */
export interface LlamaBuild {
  readonly folder: string
  /** GPU kernels for drivers that those in `folder` are too new for; null = there are none. */
  readonly fallback: string | null
}

export type BuildTarget = 'processor' | 'cuda' | 'vulkan' | 'metal'

/** The packages `@node-llama-cpp/…` by platform. Metal's has the processor's kernels too. */
const builds: Readonly<Record<string, Partial<Record<BuildTarget, string>>>> = {
  'linux-x64': { processor: 'linux-x64', cuda: 'linux-x64-cuda', vulkan: 'linux-x64-vulkan' },
  'linux-arm64': { processor: 'linux-arm64' },
  'darwin-arm64': { processor: 'mac-arm64-metal', metal: 'mac-arm64-metal' },
  'darwin-x64': { processor: 'mac-x64' },
  'win32-x64': { processor: 'win-x64', cuda: 'win-x64-cuda', vulkan: 'win-x64-vulkan' },
  'win32-arm64': { processor: 'win-arm64' },
}

/** The installed build for a target; null = this platform has none, or it is not installed. */
export async function findBuild(target: BuildTarget): Promise<LlamaBuild | null> {
  const name = builds[`${platform}-${arch}`]?.[target]
  if (name === undefined) return null
  const folder = await findFolder(name, name)
  if (folder === null) return null
  const more = target === 'cuda' ? await findFolder(`${name}-ext`, name) : null
  return { folder, fallback: more === null ? null : join(more, 'fallback') }
}

async function findFolder(name: string, build: string): Promise<string | null> {
  try {
    const { getBinsDir } = (await import(`@node-llama-cpp/${name}`)) as { getBinsDir(): { readonly binsDir: string } }
    return join(getBinsDir().binsDir, build)
  } catch {
    return null // not installed
  }
}
