import type { ReactNode } from 'react'
import { Button } from '#ui/button.tsx'
import { stayInField } from './stay-in-field.ts'

/** Sends the form it stands in, once: while that is under way it says `busyText` and takes no press. */
export const SubmitButton = (props: { busy: boolean; busyText: string; children: ReactNode }): ReactNode => (
  <Button
    type="submit"
    onMouseDown={stayInField}
    size="large"
    wide
    busy={props.busy}
    busyText={props.busyText}
  >
    {props.children}
  </Button>
)
