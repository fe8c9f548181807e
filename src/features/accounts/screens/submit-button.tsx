import type { MouseEvent, ReactNode } from 'react'
import { Button } from '#ui/button.tsx'

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

/**
 * For buttons below fields that are checked when left: without it, pressing one would show the field's error, move the
 * button away from under the pointer and lose the click.
 */
export const stayInField = (event: MouseEvent): void => event.preventDefault()
