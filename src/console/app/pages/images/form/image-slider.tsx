import type { VNode } from 'preact'
import { Slider, type SliderProps } from '../../../parts/fields/slider.tsx'
import { imageRanges } from './image-ranges.ts'
import { changeImageSettings, defaultImageSettings, imageSettings } from './image-settings.ts'

interface ImageSliderProps extends Pick<SliderProps, 'label' | 'hint'>, Partial<Pick<SliderProps, 'max' | 'standard'>> {
  readonly name: keyof typeof imageRanges
}

/** The slider of a setting that is a number. */
export function ImageSlider({ name, ...differences }: ImageSliderProps): VNode {
  return (
    <Slider
      {...imageRanges[name]}
      standard={defaultImageSettings[name]}
      {...differences}
      value={imageSettings.value[name]}
      onChange={(value) => changeImageSettings({ [name]: value })}
    />
  )
}
