//! Python literals as JSON.
