import { send } from '../../../interface/request.ts'
import { navigate } from '../../../state/router.ts'
import { showFailure, showToast } from '../../../state/toasts.ts'
import { t } from '../text.ts'
import { startFrom } from './starting-image.ts'

/** Takes a picture that was drawn here as the start of the next one. */
export async function startFromImage(address: string): Promise<void> {
  try {
    const response = await send(address)
    await startFrom(await response.blob())
    navigate('/console/images')
    showToast(t`The next picture starts from this one.`)
  } catch (failure) {
    showFailure(failure)
  }
}
