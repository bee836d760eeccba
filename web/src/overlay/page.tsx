export function OverlayPage() { return <p>soon</p>; }
