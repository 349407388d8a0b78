mod ring;
mod secret;
