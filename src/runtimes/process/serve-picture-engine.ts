import type { InspectImage } from '../../core/images/inspect-image.ts'
import { neverAborted } from '../../core/waiting.ts'
import { packFailure } from './engine-failure.ts'
import type { PictureReport, PictureTask } from './picture-process.ts'

/** The main of a process that inspects uploaded pictures for the service that started it, one after the other, until that is gone. */
export function servePictureEngine(inspect: InspectImage): void {
  const answer = async ({ bytes, whiteAt, transparency, thumbnailWidth, thumbnailFormat }: PictureTask): Promise<PictureReport> => {
    try {
      const options = {
        transparency,
        ...(whiteAt !== null && { whiteAt }),
        ...(thumbnailWidth !== null && { thumbnailWidth, thumbnailFormat }),
      }
      return { description: await inspect(bytes, { ...neverAborted, ...options }) }
    } catch (error) {
      return { error: packFailure(error) }
    }
  }
  process.on('message', async (task) => process.send?.(await answer(task as PictureTask)))
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  // A terminal's Ctrl-C and a service manager's stop reach every process; the service decides when its engines go.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
}
