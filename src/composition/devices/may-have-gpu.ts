import { existsSync, readdirSync } from 'node:fs'

/** Nodes that the drivers of NVIDIA, AMD and of Windows' subsystem for Linux make. */
const nodes = ['/dev/nvidiactl', '/dev/kfd', '/dev/dxg'] as const

/**
 * Whether the system shows a GPU at all; where only trying can tell, the answer is yes. Trying takes half a second of every start of an
 * engine, so a server without a GPU is not asked.
 */
export function mayHaveGpu(platform: NodeJS.Platform = process.platform): boolean {
  return platform !== 'linux' || nodes.some((node) => existsSync(node)) || hasRenderNode()
}

function hasRenderNode(): boolean {
  try {
    return readdirSync('/dev/dri').some((name) => name.startsWith('renderD'))
  } catch {
    return false
  }
}
