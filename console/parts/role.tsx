/** Role of the signed-in person, and controls that need the role admin or owner. */
import { createContext, type ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';

export const Role = createContext('member');

/** Disables its controls for members. */
export const AdminOnly = ({ children }: { children: ComponentChildren }) => (
  <fieldset class="plain-group" disabled={useContext(Role) === 'member'}>
    {children}
  </fieldset>
);

/** Says once why the controls of a page are disabled. */
export const RoleNotice = () =>
  useContext(Role) === 'member' ? <p class="notice">Your role is member. An admin or owner can change this.</p> : null;
