import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Folders of networks in the official ONNX layout. */
const networks = ['unet', 'text_encoder', 'text_encoder_2', 'vae_decoder', 'vae_encoder', 'safety_checker'] as const

/** Bytes of every network of an exported model; weights in files beside a graph are most of them. */
export async function measureExport(folder: string): Promise<number> {
  const sizes = await Promise.all(networks.map((network) => measureFolder(join(folder, network))))
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function measureFolder(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  const stats = await Promise.all(names.map((name) => stat(join(folder, name))))
  return stats.reduce((sum, each) => sum + (each.isFile() ? each.size : 0), 0)
}
