import type { MouseEvent } from 'react'

/**
 * For buttons below fields that are checked when left: without it, pressing one would show the field's error, move the
 * button away from under the pointer and lose the click.
 */
export const stayInField = (event: MouseEvent): void => event.preventDefault()
