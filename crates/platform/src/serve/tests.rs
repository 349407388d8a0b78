mod binding;
mod connections;
