import { type MouseEvent, type ReactNode, useId, useState } from 'react'
import ReactCrop, { type PercentCrop } from 'react-image-crop'
import 'react-image-crop/dist/ReactCrop.css'
import { useTranslations } from '#i18n/translations.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import type { OfferPicture } from '../pictures.contract.ts'
import {
  type Crop,
  type Point,
  SHAPE,
  WIDTH_MIN,
  cropAt,
  defaultCrop,
  keepInside,
  sharedPart,
} from '../pictures.rules.ts'
import { CroppedPicture } from './cropped-picture.tsx'

interface CropDialogProps {
  picture: Extract<OfferPicture, { kind: 'uploaded' }>
  place: number
  onClose: () => void
  onApply: (crop: Crop, focal: Point) => void
}

/** Cuts a picture to the shape of the shop, and marks what must stay visible in other shapes. */
export function CropDialog({ picture, place, onClose, onApply }: CropDialogProps): ReactNode {
  const t = useTranslations('consolePictures.crop')
  const { width, height, preview } = picture
  const [crop, setCrop] = useState(picture.crop)
  const [chosenFocal, setFocal] = useState(picture.focal)
  /** Of the picture as it is shown, from which the smallest frame follows. */
  const [shownWidth, setShownWidth] = useState(0)
  const focal = keepInside(chosenFocal, crop)
  const largest = defaultCrop(picture)

  const toPercent = (): PercentCrop => ({
    unit: '%',
    x: (crop.x / width) * 100,
    y: (crop.y / height) * 100,
    width: (crop.width / width) * 100,
    height: (crop.height / height) * 100,
  })
  const take = ({ x, y, width: wide }: PercentCrop): void =>
    setCrop(cropAt({ x: (x / 100) * width, y: (y / 100) * height }, (wide / 100) * width, picture))
  /** Around the same centre. */
  const resize = (wide: number): void => {
    const shift = (crop.width - wide) / 2
    const down = (shift * SHAPE.height) / SHAPE.width
    setCrop(cropAt({ x: crop.x + shift, y: crop.y + down }, wide, picture))
  }
  const mark = ({ clientX, clientY, currentTarget }: MouseEvent): void => {
    const box = currentTarget.getBoundingClientRect()
    setFocal({
      x: crop.x + ((clientX - box.left) / box.width) * crop.width,
      y: crop.y + ((clientY - box.top) / box.height) * crop.height,
    })
  }

  return (
    <Dialog open onClose={onClose} title={t('title', { place })} closeText={t('close')}>
      <p className="text-sm text-muted">{t('text')}</p>
      <div className="grid justify-items-center gap-2">
        <ReactCrop
          crop={toPercent()}
          onChange={(_, percent) => take(percent)}
          aspect={SHAPE.width / SHAPE.height}
          minWidth={(WIDTH_MIN / width) * shownWidth}
          keepSelection
          ariaLabels={{
            cropArea: t('frame'),
            nwDragHandle: t('corner.nw'),
            neDragHandle: t('corner.ne'),
            seDragHandle: t('corner.se'),
            swDragHandle: t('corner.sw'),
            nDragHandle: t('corner.nw'),
            eDragHandle: t('corner.ne'),
            sDragHandle: t('corner.se'),
            wDragHandle: t('corner.sw'),
          }}
        >
          <img
            src={preview}
            alt=""
            className="max-h-[50vh]"
            onLoad={({ currentTarget }) => setShownWidth(currentTarget.width)}
          />
        </ReactCrop>
        <p className="text-sm text-muted">{t('pixels', { width: crop.width, height: crop.height })}</p>
      </div>
      <Range label={t('width')} from={WIDTH_MIN} to={largest.width} value={crop.width} onChange={resize} />
      <Button variant="secondary" size="small" onClick={() => setCrop(largest)}>
        {t('whole')}
      </Button>

      <fieldset className="grid gap-3">
        <legend className="mb-1 font-semibold">{t('focal')}</legend>
        <p className="text-sm text-muted">{t('focalText')}</p>
        <div className="grid gap-3 sm:grid-cols-2">
          <figure className="grid content-start gap-1">
            {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the sliders below do the same */}
            <div className="cursor-crosshair touch-manipulation" data-focal onClick={mark}>
              <CroppedPicture src={preview} size={picture} part={crop} focal={focal} />
            </div>
            <figcaption className="text-sm text-muted">{t('card')}</figcaption>
          </figure>
          <figure className="grid content-start gap-1">
            <CroppedPicture src={preview} size={picture} part={sharedPart(crop, focal)} />
            <figcaption className="text-sm text-muted">{t('shared')}</figcaption>
          </figure>
        </div>
        <Range
          label={t('across')}
          from={crop.x}
          to={crop.x + crop.width}
          value={focal.x}
          onChange={(x) => setFocal({ ...focal, x })}
        />
        <Range
          label={t('down')}
          from={crop.y}
          to={crop.y + crop.height}
          value={focal.y}
          onChange={(y) => setFocal({ ...focal, y })}
        />
      </fieldset>

      <div className="flex flex-wrap justify-end gap-3 max-sm:*:grow">
        <Button variant="ghost" onClick={onClose}>
          {t('cancel')}
        </Button>
        <Button onClick={() => onApply(crop, focal)}>{t('apply')}</Button>
      </div>
    </Dialog>
  )
}

/** Steps of a slider from one end to the other. */
const STEPS = 100

interface RangeProps {
  label: string
  from: number
  to: number
  value: number
  onChange: (value: number) => void
}

function Range({ label, from, to, value, onChange }: RangeProps): ReactNode {
  const id = useId()
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-sm font-semibold">
        {label}
      </label>
      <input
        id={id}
        type="range"
        min={from}
        max={to}
        step={Math.max(1, Math.floor((to - from) / STEPS))}
        value={value}
        onChange={({ target }) => onChange(Number(target.value))}
        className="h-11 w-full accent-signal"
      />
    </div>
  )
}
