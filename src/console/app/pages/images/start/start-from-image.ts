import { requestFile } from '../../../interface/request.ts'
import { t } from '../../../language/t.ts'
import { navigate } from '../../../state/router.ts'
import { showToast } from '../../../state/toasts.ts'
import { startFrom } from './starting-image.ts'

/** Takes a picture that was drawn here as the start of the next one. @throws {RequestFailure} when it cannot be had. */
export async function startFromImage(address: string): Promise<void> {
  await startFrom(await requestFile(address))
  navigate('/console/images')
  showToast(t`The next picture starts from this one.`)
}
